// If a reply does not consist of calls, the reader searches its words for a call.
#include "steps/agents/react/dialects/text_calls.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/react/dialects/calls_reader.hpp"
#include "steps/agents/react/dialects/text_marks.hpp"
#include "steps/agents/text/json_in_text.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::agents::inline react_steps {
namespace {
constexpr std::size_t max_text = 1 << 20;

std::string_view first_name(std::string_view text) {
    return text.substr(0, std::find_if_not(text.begin(), text.end(), is_tool_name) - text.begin());
}
/// True if the text begins with a call, after any marks.
bool begins_call(std::string_view text, const tools::Registry& tools) {
    bool told = false;
    for (int marks = 0; marks < 8; ++marks) {
        text = trimmed_front(text, " \t\r\n`");
        const auto mark = read_mark(text);
        if (!mark.size) break;
        told = told || mark.tells_call();
        if (!mark.closes && (tools.find(mark.name) || (!mark.value.empty() && mark.tells_call()))) return true;
        text.remove_prefix(mark.size);
    }
    if (told && text.starts_with('[')) text = trimmed_front(text.substr(1));
    return told && (text.starts_with('{') || tools.find(tool_name(first_name(text), tools)));
}
/// True for a line "Action: add", alone or with arguments.
bool is_action_line(std::string_view line, const tools::Registry& tools) {
    constexpr std::string_view label = "action:";
    line = trimmed_front(line, " \t*#");
    if (!equal_ignoring_case(line.substr(0, label.size()), label)) return false;
    line = trimmed(line.substr(label.size()), " \t\r*`");
    const auto name = first_name(line);
    const auto rest = trimmed_front(line.substr(name.size()));
    return tools.find(tool_name(name, tools)) && (rest.empty() || rest[0] == '(' || rest[0] == '{');
}
/// True for a code fence for calls, Qwen-Agent's word before a call, or a list of calls as in Python.
bool is_call_line(std::string_view line, const tools::Registry& tools) {
    for (const std::string_view begin : {"```tool_c", "```function_c", "\u273FFUNCTION", "[Calling tool: "})
        if (line.starts_with(begin)) return true;
    if (line.starts_with(">>>") && tools.find(line.substr(3))) return true;
    if (!line.starts_with('[')) return is_action_line(line, tools);
    const auto name = first_name(line.substr(1));
    return tools.find(tool_name(name, tools)) && line.substr(1 + name.size()).starts_with('(');
}
/// True for a message of gpt-oss to a tool, even if its server has removed the marks.
bool is_recipient(std::string_view text, const tools::Registry& tools) {
    constexpr std::string_view label = "to=";
    return text.starts_with(label) && tools.find(tool_name(first_name(text.substr(label.size())), tools));
}
/// Removes text between back-ticks in a line, which is a mention and no call.
std::string without_ticked(std::string text) {
    for (std::size_t at = text.find('`'); at < text.size(); at = text.find('`', at)) {
        const auto inside = std::min(text.find_first_not_of('`', at), text.size());
        const auto end = std::min(text.find_first_of("`\n", inside), text.size());
        if (inside - at < 3 && end < text.size() && text[end] == '`')
            std::fill(text.begin() + static_cast<std::ptrdiff_t>(inside),
                      text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
        at = inside - at < 3 ? std::min(text.find_first_not_of('`', end), text.size()) : inside;
    }
    return text;
}
bool has_marked_call(std::string_view text, const tools::Registry& tools) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool begins_line = at == 0 || text[at - 1] == '\n';
        if (begins_line && is_call_line(text.substr(at, std::min(text.find('\n', at), text.size()) - at), tools))
            return true;
        const char c = text[at];
        if ((c == '<' || c == '[') && begins_call(text.substr(at), tools)) return true;
        if (c == 't' && is_recipient(text.substr(at), tools)) return true;
    }
    return false;
}
bool has_object_call(std::string_view text, const tools::Registry& tools, std::size_t& examined) {
    ObjectFinder finder(text);
    bool any = false;
    for (auto found = finder.next(); found && !any; found = finder.next()) {
        any = found->ok() ? is_call(nlohmann::json::parse(found->json), tools)
                          : seems_call(text.substr(found->begin), tools);
    }
    examined += finder.examined();
    return any;
}
/// Replacements for special tokens of some models.
constexpr struct {
    std::string_view written, plain;
} tokens[] = {
    {"<escape>", "\""}, {"<|\"|>", "\""},                       // Gemma
    {"<|open|>", "<"},  {"<|close|>", "</"}, {"<|sep|>", ">"},  // Kimi K3
};
std::string without_tokens(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto* token = std::find_if(std::begin(tokens), std::end(tokens),
                                         [text](const auto& one) { return text.starts_with(one.written); });
        const bool any = token != std::end(tokens);
        const auto end = any ? token->written.size() : std::min(text.find('<', 1), text.size());
        out += any ? token->plain : text.substr(0, end);
        text.remove_prefix(end);
    }
    return out;
}
/// True if the tools accept these arguments. A call without a mark or a clear form may be code.
bool fit(const std::vector<models::ToolCall>& calls, const tools::Registry& tools) {
    return std::all_of(calls.begin(), calls.end(),
                       [&](const auto& call) { return tools.mistake(call.name, call.arguments).empty(); });
}
std::string names_of(const tools::Registry& tools) {
    std::string names;
    for (const auto& tool : tools.all()) (names += names.empty() ? "" : ", ") += tool->name();
    return names;
}
}

TextCalls read_text_calls(std::string_view text, const tools::Registry& tools) {
    TextCalls out;
    if (is_blank(text) || text.size() > max_text) return out;
    const auto plain = without_tokens(repair_utf8(text));  // the arguments of a call become JSON
    auto read = read_calls(plain, tools);
    out.examined = read.examined;
    const auto unknown = std::find_if(read.calls.begin(), read.calls.end(),
                                      [&](const auto& call) { return !tools.find(call.name); });
    const bool runs = read.is_whole && !read.calls.empty() && unknown == read.calls.end();
    if (runs && (read.marked || read.meant || fit(read.calls, tools))) {
        out.calls = std::move(read.calls);
        return out;
    }
    std::string why;
    if (!read.marked && !read.meant && !(read.is_whole && read.call_like)) {
        const auto talk = without_ticked(plain);
        out.examined += talk.size();
        if (!has_marked_call(talk, tools) && !has_object_call(talk, tools, out.examined)) return out;
        why = "a call stands among other words, or cannot be read";
    } else if (read.is_whole && unknown != read.calls.end()) {
        why = "there is no tool '" + std::string(utf8_cut(unknown->name, 64)) + "'. The tools are: " + names_of(tools);
    } else if (!read.why.empty()) why = "the call cannot be read: " + read.why;
    else why = read.calls.empty() ? "there is no call in it" : "other words stand around the call";
    out.error = "it writes a call as text, which was not run: " + why;
    return out;
}
}
