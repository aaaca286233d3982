// Some servers cut text in the middle of a UTF-16 pair, which is broken JSON: such halves become U+FFFD, and only then,
// because looking for them costs time.
#include "steps/models/protocols/wire.hpp"
#include "engine/utf8.hpp"
#include "steps/models/protocols/fault.hpp"
#include <algorithm>
#include <charconv>
#include <optional>

namespace weft::models::wire {
namespace {
constexpr int deepest = 64;
}

namespace {
/// The code unit of an escape that begins here; 0 if there is none.
unsigned unit_at(std::string_view text, std::size_t at) {
    unsigned unit = 0;
    if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return 0;
    const auto [end, error] = std::from_chars(text.data() + at + 2, text.data() + at + 6, unit, 16);
    return error == std::errc() && end == text.data() + at + 6 ? unit : 0;
}
/// Servers that cut text between UTF-16 units write half a pair in each of two chunks: U+FFFD in its place. None if
/// there is no such half.
std::optional<std::string> without_half_pairs(std::string_view text) {
    std::string whole;
    bool found = false;
    for (std::size_t at = 0; at < text.size();) {
        const auto unit = text[at] == '\\' ? unit_at(text, at) : 0;
        const auto kind = unit & 0xFC00;
        const auto next = kind == 0xD800 ? unit_at(text, at + 6) & 0xFC00 : 0;
        const bool pair = next == 0xDC00, half = !pair && (kind == 0xD800 || kind == 0xDC00);
        const std::size_t size = pair ? 12 : unit ? 6 : text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
        if (half) whole += "\\ufffd";
        else whole += text.substr(at, size);
        found = found || half;
        at += size;
    }
    return found ? std::optional(std::move(whole)) : std::nullopt;
}
}

json parse(std::string_view text, const Secret& key) {
    // So few brackets cannot be nested too deeply. A parser with a callback takes twice as long.
    const auto brackets = std::count_if(text.begin(), text.end(), [](char c) { return c == '{' || c == '['; });
    const auto shallow = [](int depth, json::parse_event_t, json&) {
        if (depth > deepest) throw broken("sent JSON that is nested too deeply");
        return true;
    };
    try {
        return brackets <= deepest ? json::parse(text) : json::parse(text, shallow);
    } catch (const json::exception&) {
        if (const auto whole = without_half_pairs(text)) return parse(*whole, key);
        throw broken("sent broken JSON: " + excerpt(key.redact(text), 120));
    }
}
const json& member(const json& object, const char* name) {
    static const json none;
    if (!object.is_object()) return none;
    const auto at = object.find(name);
    return at == object.end() ? none : *at;
}
std::string text_or_empty(const json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }
std::int64_t count_or_zero(const json& value) {
    if (!value.is_number_integer()) return 0;
    constexpr std::int64_t most = 1'000'000'000'000;  // sums of them stay numbers
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(most)) return most;
    return std::clamp<std::int64_t>(value.get<std::int64_t>(), 0, most);
}
std::string content_text(const json& content) {
    if (!content.is_array()) return text_or_empty(content);
    std::string text;
    for (const auto& part : content) text += text_or_empty(member(part, "text"));
    return text;
}
json function_tools(const std::vector<ToolSpec>& tools) {
    json list = json::array();
    for (const auto& tool : tools) {
        json function = {{"name", tool.name}, {"description", tool.description}};
        if (!tool.parameters.empty()) {
            auto schema = json::parse(tool.parameters, nullptr, false);
            if (schema.is_discarded())
                throw Error(Code::usage, "the schema of the tool " + tool.name + "'s arguments is not JSON");
            function["parameters"] = std::move(schema);
        }
        list.push_back({{"type", "function"}, {"function", std::move(function)}});
    }
    return list;
}
/// The one text of an object that is no code: what a server says that calls it otherwise than the known ones do.
static const std::string* only_sentence(const json& error) {
    const std::string* found = nullptr;
    if (error.is_object())
        for (const auto& [name, value] : error.items()) {
            if (!value.is_string() || name == "code" || name == "status" || name == "type") continue;
            if (found) return nullptr;
            found = value.get_ptr<const std::string*>();
        }
    return found;
}
const char* role_name(Role role) {
    switch (role) {
    case Role::system: return "system";
    case Role::assistant: return "assistant";
    case Role::tool: return "tool";
    case Role::user: break;
    }
    return "user";
}
std::string error_text(const json& error) {
    if (error.is_string()) return error.get<std::string>();
    for (const char* name : {"message", "detail", "error", "msg"})
        if (const auto& value = member(error, name); value.is_string()) return value.get<std::string>();
    if (const auto* text = only_sentence(error)) return *text;
    return error.is_null() ? std::string() : error.dump(-1, ' ', false, json::error_handler_t::replace);
}
}
