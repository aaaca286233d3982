// The conversation itself gives the number of the next reply: the model has no state, so one script serves many runs.
#include "steps/models/script/scripted.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/text/read_file.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "steps/models/call_ids.hpp"
#include "steps/models/thought_filter.hpp"
#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::models {
namespace {
using nlohmann::json;
constexpr std::size_t max_shown = 400, max_file = 8 << 20;

std::string shown(std::string_view text) {
    const auto part = utf8_cut(text, max_shown);
    return "\"" + repair_utf8(part) + (part.size() < text.size() ? "...\"" : "\"");
}
[[noreturn]] void refuse_script(const std::string& origin, const std::string& why) {
    throw Error(Code::configuration, "the script " + origin + " cannot be used: " + why);
}
template <std::size_t n> void check_names(const json& object, const std::string_view (&known)[n], std::string_view also,
                                          const std::string& origin) {
    if (!object.is_object()) refuse_script(origin, "it must be a JSON object, with objects as its replies");
    for (const auto& [name, value] : object.items())
        if (name != also && std::find(std::begin(known), std::end(known), name) == std::end(known))
            refuse_script(origin, "the name \"" + name + "\" is unknown; known are " +
                                      (also.empty() ? "" : std::string(also) + ", ") + with_commas(known));
}
/// Expands short forms: a single condition becomes a list, lines become one text.
void complete(json& reply, const std::string& origin) {
    check_names(reply, ScriptedReply::optional_fields, "", origin);
    if (!reply.contains("reply") && !reply.contains("calls") && !reply.contains("fail"))
        refuse_script(origin, "each reply needs \"reply\", \"calls\" or \"fail\"");
    if (reply.contains("when") && reply["when"].is_string()) reply["when"] = json::array({reply["when"]});
    if (!reply.contains("reply") || !reply["reply"].is_array()) return;
    std::string text;
    for (const auto& line : reply["reply"]) {
        if (!line.is_string()) refuse_script(origin, "the lines of a reply are texts");
        if (!text.empty()) text += '\n';
        text += line.get<std::string>();
    }
    reply["reply"] = std::move(text);
}
/// Delivers a scripted reply as a server would: reasoning within the text becomes reasoning.
class ScriptedText final : public ThoughtFilter::Listener {
public:
    ScriptedText(ChatReply& reply, const ChatRequest& request, const OnDelta& on_delta, std::string name)
        : reply_(reply), request_(request), on_delta_(on_delta), name_(std::move(name)) {}
    void text(std::string_view piece) override {
        reply_.text += piece;
        if (on_delta_) on_delta_(piece);
    }
    void thought(std::string_view piece) override {
        reply_.reasoning += piece;
        if (request_.on_reasoning) request_.on_reasoning(piece);
    }
    void text_was_thought() override {
        const auto said = std::exchange(reply_.text, {});
        (reply_.reasoning += reply_.reasoning.empty() ? "" : "\n") += trimmed(said);
        if (request_.on_note) request_.on_note(reasoned_note(name_));
        if (request_.on_reasoning) request_.on_reasoning(reply_.reasoning);
    }

private:
    ChatReply& reply_;
    const ChatRequest& request_;
    const OnDelta& on_delta_;
    const std::string name_;
};
}

Script Script::from_json(std::string_view text, const std::string& origin) {
    try {
        auto object = parse_json(text);
        check_names(object, optional_fields, "replies", origin);
        if (object.contains("replies") && object["replies"].is_array())
            for (auto& reply : object["replies"]) complete(reply, origin);
        auto script = weft::from_json<Script>(object, "script");
        if (script.name.empty()) script.name = origin;
        if (script.chunk < 4 || script.pause_ms < 0)
            refuse_script(origin, "chunk must be at least 4, and pause_ms must not be negative");
        for (const auto& reply : script.replies)
            if (reply.delay_ms < 0) refuse_script(origin, "delay_ms must not be negative");
        for (const auto& reply : script.replies)
            if (reply.aside && (reply.when.empty() || script.question.empty()))
                refuse_script(origin, "an aside needs \"when\", and a script with a question");
        return script;
    } catch (const Error& error) {
        if (error.code() == Code::bad_json) refuse_script(origin, error.what());
        throw;
    }
}
Script Script::from_file(const std::string& path) {
    const auto text = read_file(path, max_file);
    if (!text) refuse_script(path, "the file cannot be read");
    if (text->size() > max_file) refuse_script(path, "the file is larger than 8 MB");
    return from_json(*text, path);
}

ScriptedModel::ScriptedModel(std::initializer_list<std::string> replies)
    : script_([&replies] {
          Script script;
          script.name = "replies";
          for (const auto& text : replies) script.replies.emplace_back().reply = text;
          return script;
      }()) {}

void ScriptedModel::mismatch(const std::string& expected, const std::string& actual) const {
    throw Error(Code::script_mismatch,
                "the request does not fit the script " + script_.name + ": expected " + expected + ", got " + actual);
}
std::size_t ScriptedModel::turns_in(std::string_view text) const {
    std::size_t count = 0, at = script_.question.empty() ? 0 : text.rfind(script_.question);
    if (script_.spoken.empty()) return count;
    for (; (at = text.find(script_.spoken, at)) != text.npos; ++count) at += script_.spoken.size();
    return count;
}
const ScriptedReply* ScriptedModel::find_without_question(const std::string& last) const {
    const auto holds = [&last](const std::string& part) { return last.find(part) != std::string::npos; };
    for (const auto& reply : script_.replies)
        if (reply.aside && std::all_of(reply.when.begin(), reply.when.end(), holds)) return &reply;
    return nullptr;
}
const ScriptedReply& ScriptedModel::find_by_conditions(const ChatRequest& request) const {
    const auto& prompt = request.messages.front().content;
    const auto& last = request.messages.back().content;
    const auto fits = [&](const ScriptedReply& reply) {
        if (!reply.reply.empty() && last.find(reply.reply) != last.npos)
            return false;  // else the same reply could repeat forever
        return prompt.find(reply.prompt) != prompt.npos &&
               std::all_of(reply.when.begin(), reply.when.end(),
                           [&](const auto& part) { return last.find(part) != last.npos; });
    };
    const auto found = std::find_if(script_.replies.rbegin(), script_.replies.rend(), fits);
    if (found != script_.replies.rend()) return *found;
    const bool asked = std::any_of(request.messages.begin(), request.messages.end(), [this](const auto& message) {
        return message.content.find(script_.question) != std::string::npos;
    });
    if (!asked) mismatch("the question " + shown(script_.question), shown(last));
    mismatch("a message that fits one of its replies, and does not show it yet", shown(last));
}
const ScriptedReply& ScriptedModel::find(const ChatRequest& request) const {
    if (request.messages.empty()) mismatch("a message", "none");
    if (script_.by_guards) return find_by_conditions(request);
    const auto& last = request.messages.back().content;
    std::size_t position = 0;
    auto message = request.messages.rbegin();
    for (; message != request.messages.rend(); ++message) {
        if (message->role == Role::assistant) ++position;
        if (!script_.question.empty() && message->role == Role::user &&
            message->content.find(script_.question) != std::string::npos)
            break;
    }
    if (!script_.question.empty() && message == request.messages.rend()) {
        if (const auto* reply = find_without_question(last)) return *reply;
        mismatch("the question " + shown(script_.question), shown(last));
    }
    position += turns_in(message == request.messages.rend() ? last : message->content);
    std::vector<const ScriptedReply*> replies;
    for (const auto& one : script_.replies)
        if (!one.aside) replies.push_back(&one);
    if (position >= replies.size())
        mismatch("no request after its " + std::to_string(replies.size()) + " replies", shown(last));
    const auto& reply = *replies[position];
    if (request.messages.front().content.find(reply.prompt) == std::string::npos)
        mismatch(shown(reply.prompt) + " in the first message before reply " + std::to_string(position + 1),
                 shown(request.messages.front().content));
    for (const auto& part : reply.when)
        if (last.find(part) == std::string::npos)
            mismatch(shown(part) + " in the last message before reply " + std::to_string(position + 1), shown(last));
    return reply;
}
bool ScriptedModel::calls_tools() const {
    return std::any_of(script_.replies.begin(), script_.replies.end(),
                       [](const auto& reply) { return !reply.calls.empty(); });
}
awaitable<ChatReply> ScriptedModel::chat(const ChatRequest& request, const OnDelta& on_delta) {
    const auto& scripted = find(request);
    if (scripted.delay_ms) co_await sleep_for(std::chrono::milliseconds(scripted.delay_ms));
    if (!scripted.fail.empty()) throw Error(Code::model_failed, scripted.fail);
    ChatReply reply;
    ScriptedText said(reply, request, on_delta, name());
    ThoughtFilter thoughts(said);
    for (std::string_view rest = scripted.reply; !rest.empty();) {
        if (on_delta && script_.pause_ms) co_await sleep_for(std::chrono::milliseconds(script_.pause_ms));
        const auto piece = utf8_cut(rest, static_cast<std::size_t>(script_.chunk));
        thoughts.pass(piece);
        rest.remove_prefix(piece.size());
    }
    thoughts.finish();
    reply.finish = scripted.finish == ScriptedFinish::length    ? FinishReason::length
                   : scripted.finish == ScriptedFinish::refused ? FinishReason::refused
                                                                : FinishReason::stop;
    for (const auto& call : scripted.calls) {
        auto id = call_ids::of_turn(request.messages.size(), reply.calls.size() + 1);
        auto& asked = reply.calls.emplace_back();
        asked.id = std::move(id);
        asked.name = call.tool;
        asked.arguments = call.arguments.text.empty() ? "{}" : call.arguments.text;
        if (reply.finish == FinishReason::stop) reply.finish = FinishReason::tool_calls;
    }
    reply.model = name();
    co_return reply;
}
}
