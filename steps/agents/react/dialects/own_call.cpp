// Models write `Action Input: add(1, 2)` under `Action: add`. The call counts as arguments only if the text has no
// other meaning.
#include "steps/agents/react/dialects/own_call.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "steps/agents/react/dialects/call_arguments.hpp"
#include "steps/agents/react/dialects/call_expression.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::agents::inline react_steps {
namespace {
constexpr std::string_view marks = " \t\r\n`;*";
constexpr std::size_t max_own_call = 1 << 20;

LenientJson error(std::string sentence, std::size_t examined = 0) {
    return {.error = std::move(sentence), .examined = examined};
}
/// True if the text begins with `name =`, but not `name ==`.
bool begins_with_name(std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && is_word_part(text[n])) ++n;
    text.remove_prefix(n);
    text = trimmed_front(text);
    return n && text.starts_with('=') && !text.starts_with("==");
}
/// The text before the parenthesis that closes an open one, if that is the last character.
std::string_view in_parentheses(std::string_view text) {
    int depth = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (!depth) return trimmed_front(text.substr(i + 1), marks).empty() ? text.substr(0, i) : std::string_view();
    }
    return {};
}
LenientJson read_object(std::string_view inner) {
    auto read = lenient_prefix(inner);
    if (!read.ok()) return read;
    auto rest = trimmed_front(inner.substr(read.end));
    if (!rest.starts_with(')'))
        return error("the call around the JSON object does not end behind it: write the object alone", read.examined);
    if (const auto* why = why_not_ignored(inner, read.end)) return error(why, read.examined);
    rest = trimmed_front(rest.substr(1), marks);
    read.has_rest = !rest.empty();
    return read;
}
/// True for words and signs of arithmetic, which can only be the text of an argument.
bool is_plain(std::string_view text) {
    constexpr std::string_view signs = " \t.+-*/%^()?!$";
    const auto is_sign = [&](char c) { return is_word_part(c) || (c & 0x80) || signs.find(c) != signs.npos; };
    const auto word = trimmed_end(text);
    return std::all_of(text.begin(), text.end(), is_sign) && word != "None" && word != "null";
}
/// True for `name: value`, a member of an object.
bool begins_with_member(std::string_view text) {
    const auto quote = !text.empty() && (text.front() == '"' || text.front() == '\'') ? text.front() : '\0';
    const auto end = quote ? std::min(text.find(quote, 1), text.size() - 1) + 1
                           : std::min(text.find_first_of(": \t\r\n(),=\"'"), text.size());
    return end && trimmed_front(text.substr(end)).starts_with(':');
}
LenientJson read_values(std::string_view text, const tools::Tool* tool) {
    const auto call = read_closed_call(
        text, [&](std::string_view) { return tool ? std::optional(tool->parameters()) : std::nullopt; });
    if (!call.ok()) return error(call.error, call.examined);
    if (!call.inner.empty())
        return error("an argument is a call of " + call.inner.front().tool + ": make that call first, by itself",
                     call.examined);
    const auto behind = text.substr(call.end);
    const auto rest = trimmed_front(behind, marks);
    if (!tool && nlohmann::json::parse(call.arguments).contains("1"))
        return error("the values have no names: write a JSON object of named arguments", call.examined);
    if (!rest.empty() && behind.substr(0, behind.size() - rest.size()).find('\n') == behind.npos)
        return error("there is more behind the call: write a JSON object of named arguments", call.examined);
    return {.json = call.arguments, .end = call.end, .examined = call.examined, .has_rest = !rest.empty()};
}
}

std::optional<LenientJson> read_own_call(std::string_view text, std::string_view name, const tools::Tool* tool) {
    if (name.empty() || text.size() > max_own_call || !text.starts_with(name)) return std::nullopt;
    text.remove_prefix(name.size());
    if (!text.starts_with('(')) return std::nullopt;
    return read_call_behind_name(text, name, tool);
}
LenientJson read_call_behind_name(std::string_view text, std::string_view name, const tools::Tool* tool) {
    if (text.size() > max_own_call) return error("the call is longer than 1 MB");
    const auto inner = trimmed_front(text.substr(1));
    if (inner.starts_with('{')) return read_object(inner);
    if (const auto end = inner.rfind(')'); end != inner.npos && begins_with_member(inner))
        if (auto object = lenient_object('{' + std::string(inner.substr(0, end)) + '}'); object.ok()) return object;
    const bool quoted = inner.starts_with('"') || inner.starts_with('\'');
    if (tool && takes_one_text(*tool) && !quoted && !begins_with_name(inner) && !inner.starts_with(')')) {
        const auto bare = in_parentheses(inner);
        if (!bare.empty() && is_plain(bare)) return read_bare(bare, *tool, bare_parameter(*tool, BareText::only));
    }
    const bool is_word = name.find_first_of(" .:/") == name.npos && !name.empty();  // the form of a name for read_call
    return read_values(std::string(is_word ? name : "tool") + std::string(text), tool);
}
}
