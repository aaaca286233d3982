// Bare text is an argument only if it has a single meaning. Text for the model is first read back, to check that it
// means the same.
#include "steps/agents/react/dialects/call_arguments.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/react/dialects/json_action.hpp"
#include "steps/agents/react/dialects/own_call.hpp"
#include "steps/agents/text/literals.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <optional>

namespace weft::agents::inline react_steps {
namespace {
using nlohmann::json;
constexpr std::string_view nobody = "input";

/// Removes the fence around the whole, or the end of an earlier fence, and back-ticks around a line.
std::string_view unfenced(std::string_view text) {
    text = trimmed(text);
    const auto last = text.rfind('\n') + 1;  // 0 for a single line
    const bool closed = last && trimmed(text.substr(last)) == "```", opened = last && text.starts_with("```");
    if (closed) text = text.substr(0, last);
    if (opened && closed) text = text.substr(std::min(text.find('\n'), text.size()));
    text = trimmed(text);
    const bool ticked = text.size() >= 2 && text.front() == '`' && text.back() == '`';
    const auto inner = ticked ? text.substr(1, text.size() - 2) : text;
    return ticked && inner.find('`') == inner.npos ? trimmed(inner) : text;
}
std::optional<json> strict_value(std::string_view text) {
    try {
        return parse_json(text, {.bytes = 1 << 20, .exact = true});
    } catch (const Error&) { return std::nullopt; }
}
/// Removes quotes around the whole.
std::string unquoted(std::string_view text) {
    const char quote = text.size() < 2 || text.front() != text.back() ? '\0' : text.front();
    if (quote == '"')
        if (const auto value = strict_value(text); value && value->is_string()) return value->get<std::string>();
    const auto inner = quote ? text.substr(1, text.size() - 2) : std::string_view();
    const bool whole = (quote == '"' || quote == '\'') && inner.find_first_of(std::string{quote, '\\'}) == inner.npos;
    return std::string(whole ? inner : text);
}
const json& properties(const tools::Tool& tool) {
    static const json none = json::object();
    const auto found = tool.schema().find("properties");
    return found != tool.schema().end() && found->is_object() ? *found : none;
}
/// True if each member of the object is one of these parameters.
bool takes_all(const json& parameters, const json& object) {
    const auto members = object.items();
    return std::all_of(members.begin(), members.end(),
                       [&parameters](const auto& member) { return parameters.contains(member.key()); });
}
/// True for a brace at the beginning, also inside a code fence.
bool begins_object(std::string_view text) {
    if (text.starts_with("```")) text = trimmed(text.substr(std::min(text.find('\n'), text.size())));
    return text.starts_with('{');
}
LenientJson named(std::string_view name, json value) {
    return {.json = json{{std::string(name), std::move(value)}}.dump()};
}
/// The object in a quoted text, if the tool takes it.
std::optional<LenientJson> read_quoted(std::string_view plain, BareText bare, const tools::Tool* tool) {
    const bool is_for_it = tool || bare == BareText::never;
    const auto text = is_for_it && plain.starts_with('"') ? strict_value(plain) : std::nullopt;
    if (!text || !text->is_string()) return std::nullopt;
    const auto inside = trimmed(text->get_ref<const std::string&>());
    auto read = lenient_prefix(inside);
    if (!read.ok() || read.end < inside.size()) return std::nullopt;
    const bool is_checked = tool && !properties(*tool).empty();
    if (is_checked && !takes_all(properties(*tool), json::parse(read.json))) return std::nullopt;
    return read;
}
LenientJson read_given(std::string_view text, BareText bare, const tools::Tool* tool, std::string_view tool_name) {
    const auto plain = unfenced(without_label(without_wide_blanks(text)));
    const bool takes_bare = bare != BareText::never;
    const auto name = tool && takes_bare ? bare_parameter(*tool, bare) : std::string();
    if (tool || !takes_bare) {
        auto call = read_own_call(plain, tool ? std::string_view(tool->name()) : tool_name, tool);
        if (call) return std::move(*call);
    }
    if (auto quoted = read_quoted(plain, bare, tool)) return std::move(*quoted);
    if (tool && properties(*tool).empty() && !begins_object(plain) && names_no_tool(plain)) return lenient_input({});
    if (!takes_bare) return lenient_input(without_label(text));
    if (plain.empty() || begins_object(plain) || plain == "null" || plain == "None") return lenient_input(plain);
    if (!tool || properties(*tool).empty()) return named(nobody, unquoted(repair_utf8(plain)));
    return name.empty() ? lenient_input(plain) : read_bare(plain, *tool, name);
}
/// Removes `name=` or `name:` before the value, as in a Python call.
std::string_view without_name(std::string_view text, std::string_view name) {
    if (name.empty() || !text.starts_with(name)) return text;
    const auto rest = trimmed_front(text.substr(name.size()), " \t");
    const bool is_equal = rest.starts_with('=') && !rest.starts_with("==");
    return is_equal || rest.starts_with(':') ? trimmed_front(rest.substr(1)) : text;
}
}

bool takes_text(const json& schema) {
    if (!schema.is_object()) return true;
    for (const auto* choice : {"anyOf", "oneOf"})
        if (const auto found = schema.find(choice); found != schema.end() && found->is_array())
            return std::any_of(found->begin(), found->end(), takes_text);
    const auto type = schema.find("type");
    if (type == schema.end()) return true;
    return type->is_array() ? std::find(type->begin(), type->end(), json("string")) != type->end() : *type == "string";
}
std::string bare_parameter(const tools::Tool& tool, BareText bare) {
    const auto& known = properties(tool);
    if (bare == BareText::never) return {};
    if (known.size() == 1) return known.begin().key();
    const auto required = tool.schema().find("required");
    if (bare == BareText::only || required == tool.schema().end() || !required->is_array() || required->empty())
        return {};
    const auto& first = required->front();
    return first.is_string() ? first.get<std::string>() : std::string();
}
std::string unwrapped_arguments(const std::string& text, const tools::Tool& tool) {
    constexpr std::string_view keys[] = {"arguments", "parameters", "args", "params", "input", "action_input"};
    constexpr std::string_view about[] = {"name", "tool", "tool_name", "function", "action", "id", "type"};
    const auto& known = properties(tool);
    const auto begin = text.find('"'), end = text.find('"', begin + 1);                            // npos + 1 is 0
    if (end != text.npos && known.contains(text.substr(begin + 1, end - begin - 1))) return text;  // the usual case
    const auto object = json::parse(text, nullptr, false);
    const auto is_in = [](const auto& words, std::string_view key) {
        return std::find(std::begin(words), std::end(words), key) != std::end(words);
    };
    if (!object.is_object() || object.empty() || object.size() > 4 || known.empty()) return text;
    const json* inner = nullptr;
    for (const auto& [key, value] : object.items()) {
        const bool holds = is_in(keys, key);
        if (known.contains(key) || (!holds && !is_in(about, key)) || (holds && inner)) return text;
        if (holds) inner = &value;
    }
    const auto given = inner && inner->is_string() ? lenient_object(inner->get_ref<const std::string&>())
                                                   : LenientJson();
    const auto all = !inner ? json() : inner->is_string() ? json::parse(given.json, nullptr, false) : *inner;
    return all.is_object() && takes_all(known, all) ? all.dump() : text;
}
LenientJson read_arguments(std::string_view text, BareText bare, const tools::Tool* tool, std::string_view tool_name) {
    auto read = read_given(text, bare, tool, tool_name);
    if (tool && read.ok()) read.json = unwrapped_arguments(read.json, *tool);
    return read;
}
LenientJson read_bare(std::string_view text, const tools::Tool& tool, const std::string& name) {
    const auto whole = repair_utf8(without_name(unfenced(text), name));
    const auto schema = properties(tool).find(name);
    if (schema != properties(tool).end() && !takes_text(*schema))
        if (auto value = strict_value(whole)) return named(name, std::move(*value));
    return named(name, unquoted(whole));
}
bool takes_one_text(const tools::Tool& tool) {
    const auto name = bare_parameter(tool, BareText::only);
    return !name.empty() && takes_text(properties(tool).at(name));
}
std::string shown_arguments(const std::string& arguments, BareText bare, const tools::Tool* tool) {
    if (bare == BareText::never) return arguments;
    const auto object = strict_value(arguments);
    if (!object || !object->is_object()) return arguments;
    if (object->empty()) return tool && properties(*tool).empty() ? std::string() : arguments;
    const auto name = tool && !properties(*tool).empty() ? bare_parameter(*tool, bare) : std::string(nobody);
    if (object->size() != 1 || object->begin().key() != name) return arguments;
    auto text = object->begin()->is_string() ? object->begin()->get<std::string>() : object->begin()->dump();
    const bool fits = text.find_first_of("\r\n") == text.npos && without_pause(text) == text;
    return fits && read_arguments(text, bare, tool).json == arguments ? text : arguments;
}
std::string_view without_label(std::string_view text) {
    constexpr std::size_t longest_label = 24;
    const auto line = trimmed_front(text, " \t\r\n*_`,;|-");
    std::string word;
    std::size_t n = 0;
    for (; n < line.size() && n < longest_label && std::string_view(":=\xEF").find(line[n]) == std::string_view::npos;
         ++n) {
        if (is_letter(line[n])) word += lower(line[n]);
        else if (std::string_view(" \t*_-`").find(line[n]) == std::string_view::npos) return text;
    }
    const auto rest = line.substr(n);
    const auto colon = first_colon(rest);
    for (const auto* label : {"actioninput", "toolinput", "input", "inputs", "arguments", "args", "parameters"})
        if (word == label && colon.at == 0) return trimmed_front(rest.substr(colon.size), " \t\r\n*_");
    return text;
}
bool is_one_input(std::string_view text) {
    if (text.find('\n') != text.npos) return false;
    constexpr std::size_t longest_label = 40;
    const auto head = text.substr(0, longest_label);
    const auto end = first_colon(head).at;
    if (end == head.npos || text.substr(end).starts_with("://")) return true;
    const auto name = head.substr(0, end);
    const auto is_word = [](char c) { return is_letter(c) || (c & 0x80); };  // letters of any language
    const auto is_other = [&](char c) {
        return !is_word(c) && std::string_view(" \t*_`#>-+[(.'0123456789").find(c) == std::string_view::npos;
    };
    return std::none_of(name.begin(), name.end(), is_word) || std::any_of(name.begin(), name.end(), is_other);
}
std::string_view without_pause(std::string_view text) {
    constexpr std::string_view keyword = "PAUSE";
    auto rest = trimmed_end(text);
    if (!rest.ends_with(keyword)) return text;
    rest.remove_suffix(keyword.size());
    return rest.empty() || blanks.find(rest.back()) != blanks.npos ? trimmed(rest) : text;
}
}
