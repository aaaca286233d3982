// The text after the name decides the form of a line; the names in the registry decide the end of the name.
#include "steps/agents/react/dialects/action_line.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/react/dialects/call_arguments.hpp"
#include "steps/agents/react/dialects/own_call.hpp"
#include "steps/agents/text/literals.hpp"
#include "tools/registry.hpp"
#include <nlohmann/json.hpp>

namespace weft::agents::inline react_steps {
namespace {
using Form = ActionLine::Form;
constexpr std::string_view line_blanks = " \t\r";

bool is_name(char c) { return is_word_part(c) || c == '-'; }
/// The length of the longest tool's name at the beginning; 0 without a tool's name.
std::size_t known_name(std::string_view text, const tools::Registry* tools) {
    std::size_t longest = 0;
    if (!tools) return longest;
    for (const auto& tool : tools->all()) {
        const auto& name = tool->name();
        const bool ends = text.size() == name.size() || (text.size() > name.size() && !is_name(text[name.size()]));
        if (ends && text.starts_with(name)) longest = std::max(longest, name.size());
    }
    return longest;
}
/// Removes a connecting word, such as `with`.
std::string_view without_word(std::string_view text) {
    for (const std::string_view word : {"with", "using"})
        if (text.size() > word.size() && equal_ignoring_case(text.substr(0, word.size()), word) &&
            !is_name(text[word.size()]))
            return trimmed_front(text.substr(word.size()), line_blanks);
    return text;
}
/// The arguments after a name in its line. Empty for prose, which means that the name is none.
std::optional<ActionLine> read_tail(std::string_view tail) {
    auto rest = trimmed_front(trimmed_front(tail, "*`'\"]>"), line_blanks);
    ActionLine out;
    if (rest.starts_with("()")) {
        out = {{}, Form::object, "{}"};
        rest = trimmed_front(rest.substr(2), "*`'\" \t\r;.");
    }
    if (is_blank(rest) || rest == ".") return out;
    const auto set = [&out](Form form, std::string_view arguments) {
        out.form = form;
        out.arguments = arguments;
        return out;
    };
    if (rest.front() == '\n') return out.form == Form::object ? out : set(Form::next_line, without_fence(rest));
    if (rest.front() == '(') return set(Form::call, rest);
    if (rest.front() == '[') return set(Form::brackets, rest);
    if (const auto input = without_label(rest); input.data() != rest.data()) return set(Form::text, input);
    const auto first = first_colon(rest);
    const bool colon = first.at == 0;
    const auto behind = without_label(trimmed_front(rest.substr(colon ? first.size : 0)));
    const auto object = without_word(trimmed_front(behind, " \t\r-=>:|,\xE2\x80\x93\x94\x86\x92"));
    if (without_fence(object).starts_with('{')) return set(Form::object, object);
    if (!colon) return std::nullopt;
    return set(Form::text, behind);
}
std::string cleaned(std::string_view name) { return repair_utf8(trimmed(name, " \t\r\n`'\"*.,;=>|<[]\xC2\xA0-")); }
/// Removes the closing marks of emphasis that the name has opened: `add: 1`.
std::string_view without_marks(std::string_view arguments, std::string_view before, std::string_view behind) {
    auto opened = trimmed(before, "[< \t\r\n'\"");
    const auto closed = behind.substr(0, std::min(behind.find_first_not_of("*`"), behind.size()));
    opened.remove_suffix(std::min(opened.size(), closed.size()));
    for (; !opened.empty() && !arguments.empty(); opened.remove_suffix(1))
        if (arguments.front() == opened.back()) arguments.remove_prefix(1);
        else if (arguments.back() == opened.back()) arguments.remove_suffix(1);
    return trimmed(arguments);
}
LenientJson input_of(std::string_view text) { return {.json = nlohmann::json{{"input", repair_utf8(text)}}.dump()}; }
LenientJson read_brackets(const ActionLine& action, BareText bare, const tools::Tool* tool) {
    const auto end = action.arguments.rfind(']');
    if (end == action.arguments.npos)
        return {.error = "the bracket behind the name of the tool is not closed: write a JSON object of named "
                         "arguments"};
    const auto inner = trimmed(action.arguments.substr(1, end - 1));
    if (inner.starts_with('{') || inner.empty()) return lenient_input(inner);
    if (const auto name = tool ? bare_parameter(*tool, bare) : std::string(); !name.empty())
        return read_bare(inner, *tool, name);
    return read_call_behind_name('(' + std::string(inner) + ')', action.name, tool);
}
LenientJson read(const ActionLine& action, BareText bare, const tools::Tool* tool) {
    const auto at_least = bare == BareText::never ? BareText::only : bare;
    switch (action.form) {
    case Form::none: break;
    case Form::call: return read_call_behind_name(action.arguments, action.name, tool);
    case Form::brackets: return read_brackets(action, at_least, tool);
    case Form::object: return lenient_input(action.arguments);
    case Form::text: return read_arguments(action.arguments, tool ? at_least : bare, tool, action.name);
    case Form::next_line:
        if (action.arguments.starts_with('{')) return lenient_input(action.arguments);
        return read_arguments(action.arguments, at_least, tool, action.name);
    }
    return lenient_input({});
}
/// The name after the colon of a line; empty without a colon near its beginning.
std::string_view labelled(std::string_view line) {
    constexpr std::size_t longest_label = 40;
    const auto colon = first_colon(line.substr(0, longest_label));
    if (colon.at == line.npos || is_blank(line.substr(0, colon.at))) return {};
    return trimmed(line.substr(colon.at + colon.size), " \t\r*`\"'");
}
}

HasTool has_tool(const tools::Registry* tools) {
    if (!tools) return nullptr;
    return [tools](std::string_view name) { return tools->find(name) != nullptr; };
}
std::string_view without_fence(std::string_view text) {
    constexpr std::string_view fence = "```";
    text = trimmed(text);
    const bool opens = text.starts_with(fence);
    const auto first = opens ? text.find(fence, fence.size()) : text.find(fence);
    if (first != text.npos && first + fence.size() == text.size()) text = trimmed_end(text.substr(0, first));
    if (!opens) return text;
    text = trimmed_front(text, "`");
    const auto line = text.substr(0, text.find_first_of("\n{ "));
    return trimmed_front(std::all_of(line.begin(), line.end(), is_letter) ? text.substr(line.size()) : text);
}
bool gives_nothing(std::string_view input) {
    const auto plain = without_fence(input);
    return plain.empty() || plain == "{}" || names_no_tool(plain);
}
ActionLine split_action(std::string_view text, const tools::Registry* tools) {
    text = without_fence(without_wide_blanks(text));
    const auto line = trimmed_front(text, "*`'\"[< \t\r\n");
    const auto opened = text.substr(0, text.size() - line.size());
    for (const auto name : {line, without_namespace(line.substr(0, line.find('\n')), nullptr)}) {
        const auto begin = line.substr(static_cast<std::size_t>(name.data() - line.data()));
        const auto known = known_name(begin, tools);
        auto tail = known ? read_tail(begin.substr(known)) : std::nullopt;
        if (!tail) continue;
        tail->name = begin.substr(0, known);
        if (tail->form == Form::text) tail->arguments = without_marks(tail->arguments, opened, begin.substr(known));
        return *tail;
    }
    const auto end = std::min({line.find_first_of("\n({["), first_colon(line).at, line.size()});
    auto tail = read_tail(line.substr(end)).value_or(ActionLine());
    tail.name = without_namespace(cleaned(line.substr(0, end)), has_tool(tools));
    if (tail.form == Form::text) tail.arguments = without_marks(tail.arguments, opened, line.substr(end));
    return tail;
}
LenientJson read_action_line(const ActionLine& action, BareText bare, const tools::Registry* tools) {
    const auto* tool = tools ? tools->find(action.name) : nullptr;
    auto got = read(action, bare, tool);
    return got.ok() || !tools || tool ? got : input_of(action.arguments);  // the registry reports the mistake
}
LenientJson json_arguments(const JsonAction& action, BareText bare, const tools::Registry* tools) {
    if (!action.arguments.empty()) return lenient_input(action.arguments);
    const auto* tool = tools ? tools->find(action.name) : nullptr;
    if (names_no_tool(action.bare) || action.bare.empty()) return lenient_input({});
    const auto name = tool ? bare_parameter(*tool, bare == BareText::never ? BareText::only : bare)
                           : std::string("input");
    if (!name.empty() && tool) return read_bare(action.bare, *tool, name);
    return name.empty() ? lenient_input(action.bare) : input_of(action.bare);
}
std::string translated_action(std::string_view text, const tools::Registry& tools) {
    std::string_view tool_line;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (is_blank(line)) continue;
        const auto named = labelled(line);
        if (!tool_line.empty() && !named.empty())
            return "the line \"" + excerpt(tool_line, max_quoted) + "\" names a tool under another label than Action";
        tool_line = tools.find(named) ? line : std::string_view();
    }
    return {};
}
}
