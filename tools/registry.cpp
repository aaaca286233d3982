// A model's mistake is an observation, not an exception; only a cancellation is thrown. A schema is compiled when its
// tool is added.
#include "tools/registry.hpp"
#include "engine/asio.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/terminal.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "tools/schema/arguments.hpp"
#include "tools/schema/number.hpp"
#include "tools/sha256.hpp"
#include "tools/tool_context.hpp"
#include <algorithm>
#include <cmath>

namespace weft::tools {
namespace {
constexpr std::size_t most_argument_bytes = 1u << 20, longest_kept = 16u << 10, most_name = 64;

std::string names_of(const std::vector<std::shared_ptr<Tool>>& tools) {
    std::string names;
    for (auto& tool : tools) names += (names.empty() ? "" : ", ") + tool->name();
    return names.empty() ? "none" : names;
}
std::string shown_name(std::string_view name) { return repair_utf8(utf8_cut(name, 60)); }
bool fits(std::string_view name) {
    return !name.empty() && name.size() <= most_name &&
           std::all_of(name.begin(), name.end(), [](char c) { return is_word_part(c) || c == '-'; });
}

Observation failed(const std::string& why) { return {.text = "Error: " + why, .ok = false}; }
Observation not_called(const std::string& why) { return {.text = "Error: " + why, .ok = false, .ran = false}; }
// Models write 5.0 for integers; it is read as a double, which a schema's "integer" would refuse.
void write_whole_as_integers(nlohmann::json& value) {
    if (value.is_structured())
        for (auto& inner : value) write_whole_as_integers(inner);
    else if (value.is_number_float())
        if (auto v = value.get<double>(); std::abs(v) < exact_integers && std::trunc(v) == v) value = std::int64_t(v);
}
nlohmann::json parse(const std::string& text) {
    if (trimmed(text).empty()) return nlohmann::json::object();
    auto arguments = parse_json(text, {.bytes = most_argument_bytes, .exact = true});
    write_whole_as_integers(arguments);
    return arguments.is_null() ? nlohmann::json::object() : arguments;
}
}

void Registry::add(std::shared_ptr<Tool> tool) {
    auto& name = tool->name();
    if (!fits(name))
        throw Error(Code::usage, "'" + shown_name(name) +
                                     "' cannot be the name of a tool: use 1 to 64 letters, digits, '_' and '-'");
    if (find(name)) throw Error(Code::usage, "there are two tools named '" + name + "': give one another name");
    auto schema = tool->schema().dump();
    try {
        validators_.push_back(std::make_shared<const Validator>(tool->checked_schema()));
    } catch (const Error& error) {
        throw Error(error.code(), "the tool '" + name + "' cannot be added: " + error.what());
    }
    schemas_.push_back(std::move(schema));
    tools_.push_back(std::move(tool));
}
Tool* Registry::find(std::string_view name) const {
    for (auto& tool : tools_)
        if (tool->name() == name) return tool.get();
    return nullptr;
}
Registry Registry::only(const std::vector<std::string>& names) const {
    Registry some;
    for (auto& name : names) {
        auto at = std::find_if(tools_.begin(), tools_.end(), [&](auto& tool) { return tool->name() == name; });
        if (at == tools_.end())
            throw Error(Code::usage, "there is no tool '" + shown_name(name) + "': there are " + names_of(tools_));
        some.add(*at);
    }
    some.permissions_ = permissions_;
    return some;
}

struct Registry::ParsedCall {
    Tool* tool = nullptr;
    std::shared_ptr<const nlohmann::json> arguments;  // null if there is a mistake
    std::string mistake;
};
Registry::ParsedCall Registry::read(std::string_view name, const std::string& text) const {
    ParsedCall read;
    auto at = std::find_if(tools_.begin(), tools_.end(), [&](auto& tool) { return tool->name() == name; });
    if (at == tools_.end()) {
        read.mistake = "there is no tool '" + shown_name(name) + "'; there are: " + names_of(tools_);
        return read;
    }
    const auto& validator = validators_[std::size_t(at - tools_.begin())];
    // An agent reads each call three times: for approvals, for its permission right before it runs, and to run it.
    thread_local struct {
        std::shared_ptr<const Validator> validator;
        std::string text;
        std::shared_ptr<const nlohmann::json> arguments;
    } last;
    if (last.validator == validator && last.text == text) {
        read.arguments = last.arguments;
        read.tool = at->get();
        return read;
    }
    std::shared_ptr<nlohmann::json> arguments;
    try {
        arguments = std::make_shared<nlohmann::json>(parse(text));
        read.mistake = validator->mistake(*arguments);
    } catch (const Error& e) { read.mistake = e.what(); }
    if (!read.mistake.empty()) {
        read.mistake = "wrong arguments for " + std::string(name) + ": " + read.mistake +
                       ". Expected: " + validator->summary();
        return read;
    }
    read.tool = at->get();
    read.arguments = std::move(arguments);
    if (text.size() <= longest_kept) last = {validator, text, read.arguments};
    return read;
}
void Registry::permit(Permissions permissions) {
    for (const auto& rule : permissions.rules)
        if (!rule) throw Error(Code::usage, "the permissions of tools have an empty rule: leave it out");
    permissions_ = std::make_shared<const Permissions>(std::move(permissions));
}
Verdict Registry::permission(std::string_view name, const std::string& arguments) const {
    const auto call = read(name, arguments);
    return call.tool ? permissions_->of(*call.tool, *call.arguments) : Verdict();
}
bool Registry::denies(std::string_view name) const {
    const auto& denied = permissions_->deny;
    return std::find(denied.begin(), denied.end(), name) != denied.end();
}
bool Registry::needs_approval(std::string_view name, const std::string& arguments) const {
    return permission(name, arguments).permission == Permission::ask;
}
namespace {
std::string digest_of(const Tool& tool, const std::string& version) {
    auto said = nlohmann::json::array({tool.name()});
    if (version.empty()) said.insert(said.end(), {tool.description(), tool.schema()});
    else said.push_back(version);
    return sha256(said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}
}
std::string Registry::fingerprint(std::string_view name) const {
    const auto* tool = find(name);
    return tool ? digest_of(*tool, tool->version()) : std::string();
}
void Registry::accept(std::string_view name, const std::string& fingerprint) const {
    auto* tool = find(name);
    const auto version = tool ? tool->version() : std::string();
    if (!version.empty() && digest_of(*tool, version) == fingerprint) tool->accept(version);
}
std::string Registry::mistake(std::string_view name, const std::string& arguments) const {
    return bounded({.text = read(name, arguments).mistake}).text;
}

awaitable<Observation> Registry::call(std::string name, std::string text) const {
    ToolContext nobody;
    co_return co_await call(std::move(name), std::move(text), nobody);
}
awaitable<Observation> Registry::call(std::string name, std::string text, ToolContext& context) const {
    const auto read = this->read(name, text);
    if (!read.tool) co_return bounded(not_called(read.mistake));
    std::string why;
    try {
        auto observation = co_await read.tool->call(*read.arguments, context);
        co_return bounded(std::move(observation));
    } catch (const boost::system::system_error& e) {
        if (e.code() == asio::error::operation_aborted) throw;
        why = sentence_of(std::current_exception());
    } catch (const std::exception& e) { why = e.what(); } catch (...) {
        why = "the tool failed without saying why";
    }
    co_return bounded(failed(why));
}
}
