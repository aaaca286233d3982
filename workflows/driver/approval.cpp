// Humans and programs use the same words. Only a human gets a second prompt for a missing reason, or for the arguments,
// which are in the line already.
#include "workflows/driver/approval.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/view/neutralise.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/values.hpp"

namespace weft::driver {
namespace {
using nlohmann::json;
constexpr std::size_t longest_shown = 64 << 10, longest_edited = 4096;
constexpr auto prompt = "may it run? y, a (always in this run), e (edit), n (no): ";

json edited(const CallInQuestion& call, const AnswerPrompt& asking, const std::string& rest) {
    std::string line = rest;
    if (rest.empty()) {
        const auto now = ascii(call.arguments);
        if (!asking.terminal) throw Error(Code::usage, "e needs all arguments of the call after it, as a JSON object");
        if (now.size() > longest_edited)
            throw Error(Code::usage,
                        "these arguments are too long to edit in a line: write e, then all of them as a JSON object");
        line = asking.next("arguments: ", now);
    }
    return {{"decision", "edit"}, {"arguments", read_json(line, "the arguments of " + call.tool)}};
}
json rejected(const AnswerPrompt& asking, std::string reason) {
    if (reason.empty() && asking.terminal)
        reason = std::string(trimmed(asking.next("why not? For the model (may be empty): ", {})));
    return {{"decision", "reject"}, {"reason", reason}};
}
}

CallInQuestion call_in_question(const json& event) {
    CallInQuestion call;
    if (!event.is_object()) return call;
    call.tool = text_in(event, "tool");
    call.arguments = event.value("arguments", json::object());
    call.why = text_in(event, "why");
    call.mistake = text_in(event, "mistake");
    return call;
}
std::string shown_call(const CallInQuestion& call) {
    const auto all = call.arguments.dump(2, ' ', false, json::error_handler_t::replace);
    auto arguments = std::string(utf8_cut(all, longest_shown));
    if (const auto rest = all.size() - arguments.size())
        arguments += "\n[" + std::to_string(rest) + " more bytes are not shown]";
    std::string text = "? the agent wants to call " + in_one_line(call.tool);
    if (!call.why.empty()) text += " (" + in_one_line(call.why) + ')';
    if (!call.mistake.empty()) text += "\n  the last answer was invalid: " + in_one_line(call.mistake);
    text += '\n';
    const auto safe = view::neutralise(arguments, false);
    for (std::size_t begin = 0; begin <= safe.size();) {
        const auto end = std::min(safe.find('\n', begin), safe.size());
        text.append("  ").append(safe, begin, end - begin) += '\n';
        begin = end + 1;
    }
    return text;
}
json ask_approval(const CallInQuestion& call, const AnswerPrompt& asking) {
    const auto line = asking.next(prompt, {});
    const auto all = trimmed(line);
    const auto first = all.substr(0, all.find_first_of(" \t,{"));
    const auto word = lower(first);
    const std::string rest(trimmed(all.substr(first.size()), " \t,"));
    if (word == "n" || word == "no") return rejected(asking, rest);
    if (word == "e" || word == "edit") return edited(call, asking, rest);
    for (const auto& [letter, whole, decision] :
         {std::tuple{"y", "yes", "approve"}, std::tuple{"a", "always", "always"}}) {
        if (word != letter && word != whole) continue;
        if (rest.empty()) return {{"decision", decision}};
        throw Error(Code::usage, word + " stands alone, so \"" + excerpt(rest, 60) +
                                     "\" is too much: n takes a reason, and e other arguments as JSON");
    }
    if (asking.terminal && !all.starts_with('{'))
        throw Error(Code::usage, "y, a, e or n: whether the call may run; or other arguments for it, as a JSON object");
    auto data = read_json(line, "the answer to whether " + call.tool + " may run (y, a, e, n, or JSON)");
    if (data.is_object() && data.contains("decision")) return data;
    return {{"decision", "edit"}, {"arguments", std::move(data)}};
}
}
