// Reads a reply at its end, since an unfinished object has no meaning. Among several unusable objects the one closest
// to a reply gives the error.
#include "steps/agents/react/dialects/function_parser.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/react/dialects/json_action.hpp"
#include "steps/agents/react/dialects/line_head.hpp"
#include "steps/agents/text/json_in_text.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::agents::inline react_steps {
namespace {
using nlohmann::json;
constexpr int is_reply = 3;

const json* find(const json& object, std::string_view key) {
    for (auto member = object.begin(); member != object.end(); ++member)
        if (member.key().size() == key.size() && lower(member.key()) == key) return &*member;
    return nullptr;
}
/// True if text follows the object, other than the end of a fence or the second of doubled braces.
bool has_rest(std::string_view text, const ObjectFinder::FoundObject& object) {
    auto rest = trimmed_front(text.substr(std::min(object.end, text.size())));
    if (trimmed_end(text.substr(0, object.begin)).ends_with('{') && rest.starts_with('}')) rest.remove_prefix(1);
    return !trimmed_front(rest, " \t\r\n`").empty();
}
/// Unwraps a single argument that is an object of arguments: add({"a": 1}) is add(a=1).
std::string unwrapped(std::string arguments, const std::optional<std::vector<std::string>>& parameters) {
    const auto all = json::parse(arguments);
    if (!parameters || all.size() != 1 || !all.front().is_object() || all.front().empty()) return arguments;
    for (const auto& [name, value] : all.front().items())
        if (std::find(parameters->begin(), parameters->end(), name) == parameters->end()) return arguments;
    return all.front().dump();
}
}

void FunctionParser::feed(std::string_view delta, const OnPiece&) {
    too_long_ = too_long_ || delta.size() > max_reply - fed_;
    delta = delta.substr(0, max_reply - fed_);
    fed_ += delta.size();
    kept_ += delta;
}
Reply FunctionParser::finish(const OnPiece& on_piece) {
    auto reply = read(kept_);
    if (on_piece) {
        const auto tell = [&on_piece](PieceKind kind, const std::string& text) {
            if (!text.empty()) on_piece(kind, text);
        };
        tell(PieceKind::thought, reply.thought);
        if (reply.kind == ReplyKind::action) {
            tell(PieceKind::action, reply.action);
            tell(PieceKind::action_input, reply.action_input);
        }
        tell(PieceKind::answer, reply.answer);
    }
    return reply;
}
Reply FunctionParser::read(std::string_view text) {
    Reply best;
    best.error = is_blank(text) ? "the reply is empty"
                                : "there is no JSON object with an action in it, such as "
                                  "{\"thought\": \"why\", \"action\": \"name(argument=1)\"}";
    int nearest = 0, ignored = 0;
    std::size_t seen = 0;  // end of the text already searched for an observation
    ObjectFinder::FoundObject chosen;
    const auto is_cut = [&](std::size_t end) {
        const auto cut = observation(text, seen, end);
        const bool is = cut < end;
        if (is) text = text.substr(0, cut);
        seen = end;
        return is;
    };
    bool invented = false;
    ObjectFinder finder(text);
    while (const auto found = finder.next()) {
        invented = is_cut(found->begin);
        if (invented) break;
        seen = found->ok() ? found->end : found->begin + 1;
        Reply reply;
        const auto near = found->ok() ? read_object(found->json, reply) : 1;
        if (!found->ok()) reply.error = "the JSON object cannot be read: " + found->error;
        if (near == is_reply && nearest == is_reply) ++ignored;
        if (near <= nearest) continue;
        nearest = near;
        best = std::move(reply);
        chosen = *found;
    }
    if (!invented) invented = is_cut(text.size());
    examined_ += finder.examined();
    if (invented && !nearest) best.error = "an Observation stands where the JSON object should: only tools make them";
    if (too_long_) best = {.error = "the reply is longer than 4 MB"};
    best.ignored = ignored;
    if (const auto* why = best.error.empty() && !invented ? why_not_ignored(text, chosen.end) : nullptr)
        best = {.error = std::string("the JSON object cannot be read: ") + why};
    if (best.kind == ReplyKind::action && !ignored && has_rest(text, chosen))
        best.note = "the text behind the JSON object was ignored. Write nothing after that object.";
    best.invented = best.invented || invented;
    best.text = repair_utf8(trimmed(text));
    return best;
}
/// The first line that begins with an observation label; `end` if there is none.
std::size_t FunctionParser::observation(std::string_view text, std::size_t begin, std::size_t end) {
    bool in_head = begin == 0 || text[begin - 1] == '\n';
    LineHead head(plain_words);
    head.begin();
    for (auto line = begin, at = begin; at < end; ++at, ++examined_) {
        const char c = text[at];
        if (c == '\n') {
            line = at + 1;
            in_head = true;
            head.begin();
        } else if (in_head && c != '"') {
            const auto verdict = head.look(c);
            in_head = verdict == LineHead::more;
            if (verdict == LineHead::label_found && head.label() == Label::observation) return line;
        }
    }
    return end;
}
int FunctionParser::read_object(const std::string& text, Reply& reply) {
    const auto object = json::parse(text);
    const auto* thought = find(object, "thought");
    const auto* action = find(object, "action");
    reply.invented = find(object, "observation");
    if (thought && thought->is_string()) reply.thought = thought->get<std::string>();
    if (thought && !thought->is_string() && !thought->is_null()) reply.error = "the thought must be a text";
    else if (action && action->is_string()) read_action(action->get<std::string>(), reply);
    else if (action && !action->is_null())
        reply.error = "the action must be a text with a call in it, such as \"name(argument=1)\"";
    else reply.error = "the JSON object has no action";
    const bool is_thought_wrong = thought && !thought->is_string() && !thought->is_null();
    if (!reply.error.empty() && !is_thought_wrong) read_other_form(text, reply);
    return reply.error.empty() ? is_reply : thought || action ? 2 : 1;
}
/// Reads an action in the form of another framework, with a name and an object of arguments.
void FunctionParser::read_other_form(const std::string& text, Reply& reply) {
    const auto found = read_json_action(text, [this](std::string_view tool) { return parameters_(tool).has_value(); });
    if (!found) return;
    if (found->kind == JsonAction::Kind::none)
        return void(reply.error = "the action names no tool: if none is needed, end with finish(answer=\"...\")");
    reply.error.clear();
    if (reply.thought.empty()) reply.thought = found->thought;
    if (found->kind == JsonAction::Kind::answer) {
        reply.kind = ReplyKind::answer;
        reply.answer = found->answer;
        return;
    }
    const auto parameters = parameters_(found->name);
    json arguments = json::object();
    if (!found->arguments.empty()) arguments = json::parse(found->arguments);
    else if (!found->bare.empty() && !names_no_tool(found->bare))
        arguments[parameters && parameters->size() == 1 ? parameters->front() : "input"] = found->bare;
    reply.kind = ReplyKind::action;
    reply.action = found->name;
    reply.action_input = arguments.dump();
}
void FunctionParser::read_action(std::string_view action, Reply& reply) {
    static const std::vector<std::string> of_finish = {"answer"};
    constexpr std::string_view print = "print(";  // Python's, around the call
    if (const auto end = action.rfind(')'); action.starts_with(print) && end != action.npos && !parameters_("print"))
        action = action.substr(print.size(), end - print.size());
    auto call = read_call(action, [this](std::string_view tool) {
        return tool == "finish" ? std::optional(of_finish) : parameters_(tool);
    });
    examined_ += call.examined;
    if (!call.ok()) {
        reply.error = "the action cannot be read: " + call.error;
        return;
    }
    for (const auto& inner : call.inner)
        if (inner.tool == "finish") reply.error = "finish ends the task, so it cannot stand among arguments";
    if (!reply.error.empty()) return;
    if (call.tool == "finish") return read_answer(call, reply);
    reply.kind = ReplyKind::action;
    reply.action = std::move(call.tool);
    reply.action_input = unwrapped(std::move(call.arguments), parameters_(reply.action));
    reply.inner = std::move(call.inner);
    reply.written = trimmed_end(action);
}
void FunctionParser::read_answer(const CallExpression& call, Reply& reply) {
    const auto arguments = json::parse(call.arguments);
    const auto answer = arguments.find("answer");
    if (answer == arguments.end()) reply.error = "finish lacks the answer: finish(answer=\"...\")";
    else if (arguments.size() > 1) reply.error = "finish takes the answer and nothing else: finish(answer=\"...\")";
    else if (!call.inner.empty())
        reply.error = "finish takes what is known already: call " + call.inner.front().tool +
                      " by itself first, and finish when its observation is there";
    else {
        reply.kind = ReplyKind::answer;
        reply.answer = answer->is_string() ? answer->get<std::string>() : answer->dump();
    }
}
}
