// Some servers split text inside a UTF-16 pair, which makes JSON malformed. The slow search for such halves runs only
// then.
#include "steps/models/protocols/wire/wire.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/protocols/wire/fault.hpp"
#include "steps/models/protocols/wire/lone_surrogates.hpp"
#include <algorithm>
#include <boost/describe/enum_to_string.hpp>
#include <charconv>

namespace weft::models::wire {
namespace {
constexpr int deepest = 64;
/// True if there are too few brackets for deep nesting. A parser with a callback takes twice as long.
bool is_surely_shallow(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](char c) { return c == '{' || c == '['; }) <= deepest;
}
}

json parse(std::string_view text, const Secret& key) {
    const auto shallow = [](int depth, json::parse_event_t, json&) {
        if (depth > deepest) throw broken("sent JSON that is nested too deeply");
        return true;
    };
    try {
        return is_surely_shallow(text) ? json::parse(text) : json::parse(text, shallow);
    } catch (const json::exception&) {
        if (const auto whole = with_carried_halves(text)) return parse(*whole, key);
        throw broken("sent broken JSON: " + excerpt(key.redact(text), 120));
    }
}
json parse_or_discard(std::string_view text) {
    if (is_surely_shallow(text)) return json::parse(text, nullptr, false);
    struct TooDeep {};
    const auto shallow = [](int depth, json::parse_event_t, json&) {
        if (depth > deepest) throw TooDeep();
        return true;
    };
    try {
        return json::parse(text, shallow, false);
    } catch (TooDeep) { return json(json::value_t::discarded); }
}
const json& member(const json& object, std::string_view name) {
    static const json none;
    if (!object.is_object()) return none;
    const auto at = object.find(name);
    return at == object.end() ? none : *at;
}
std::string text_or_empty(const json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }
std::int64_t count_or_zero(const json& value) {
    if (!value.is_number_integer()) return 0;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(most_count)) return most_count;
    return std::clamp<std::int64_t>(value.get<std::int64_t>(), 0, most_count);
}
std::string id_or_empty(const json& value) { return value.is_number_integer() ? value.dump() : text_or_empty(value); }
std::int64_t index_or_none(const json& value) {
    constexpr std::int64_t end = 1 << 30;
    std::int64_t index = -1;
    if (value.is_number_integer()) index = value.get<std::int64_t>();
    if (const auto* text = value.get_ptr<const std::string*>()) {
        const char* last = text->data() + text->size();
        if (std::from_chars(text->data(), last, index).ptr != last) index = -1;
    }
    return index >= 0 && index < end ? index : -1;
}
std::string content_text(const json& content) {
    if (!content.is_array()) return text_or_empty(content);
    std::string text;
    for (const auto& part : content)
        if (member(part, "type") != "reasoning") text += text_or_empty(member(part, "text"));
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
const char* role_name(Role role) { return boost::describe::enum_to_string(role, "user"); }
}
