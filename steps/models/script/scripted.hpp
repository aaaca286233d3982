// A model that answers from a script, for demonstrations, and for tests without a model.
//
//     models::ScriptedModel model{"Thought: easy\nAnswer: 42"};                     // the replies in order
//     models::ScriptedModel sales(models::Script::from_file("sales.json"));
//
// A script is a JSON object:
//
//     {"name": "sales", "workflow": "react", "dialect": "react",
//      "question": "How did sales vary?",            the question that it is for; default: any
//      "expect": ["5500", "212.73"],                 what the answer must contain
//      "spoken": "\nObservation: ",                  separates turns of the model in one message
//      "by_guards": false,                           true: conditions choose the replies, see below
//      "chunk": 12, "pause_ms": 0,                   the size of a delta in bytes, and the pause before each
//      "replies": [
//        {"when": "question or observation",         what the last message must contain: a text, or a list of texts
//         "reply": ["Thought: ...", "Action: ..."],  a text, or its lines
//         "calls": [{"tool": "add", "arguments": {"a": 1, "b": 2}}],   calls through the model's protocol
//         "prompt": "Summarise",                     what the first message must contain: a text
//         "delay_ms": 300,                           before the first delta
//         "finish": "stop"},                         or length, refused
//        {"aside": true, "when": ..., "reply": ...}, for a request without the question, as from a tool
//        {"fail": "what is wrong"}]}                 throws Error{model_failed}
//
// `replies` is required, and in each reply one of `reply`, `calls` and `fail`. The conversation alone selects the
// reply, so any number of runs may share one object: reply n + 1 comes after n turns of the model since the script's
// question, or since the start. A turn is a message of the model; some dialects pack all turns into one message, where
// `spoken` marks each. A request without the question gets the first `aside` whose `when` is in its last message. With
// `by_guards`, for agents that send one growing message and different prompts, the last reply counts whose `when` and
// `prompt` match and which the message does not have yet. A request that does not fit the script throws
// Error{script_mismatch}, which shows the expected and the actual text.
#pragma once
#include "engine/describe.hpp"
#include "steps/models/chat_model.hpp"
#include <initializer_list>

namespace weft::models {
/// The FinishReason of a scripted reply.
enum class ScriptedFinish { stop, length, refused };
BOOST_DESCRIBE_ENUM(ScriptedFinish, stop, length, refused)

/// An entry of `calls`.
struct ScriptedCall {
    std::string tool;
    JsonText arguments;
    static constexpr std::string_view optional_fields[] = {"arguments"};  // may be missing in JSON
};
BOOST_DESCRIBE_STRUCT(ScriptedCall, (), (tool, arguments))

/// An entry of `replies`.
struct ScriptedReply {
    std::vector<std::string> when;
    std::string prompt;
    std::string reply;
    std::vector<ScriptedCall> calls;
    std::string fail;
    int delay_ms = 0;
    ScriptedFinish finish = ScriptedFinish::stop;
    bool aside = false;
    /// May be missing in JSON.
    static constexpr std::string_view optional_fields[] = {"when", "prompt",   "reply",  "calls",
                                                           "fail", "delay_ms", "finish", "aside"};
};
BOOST_DESCRIBE_STRUCT(ScriptedReply, (), (when, prompt, reply, calls, fail, delay_ms, finish, aside))

struct Script {
    std::string name, workflow, dialect, question, spoken;
    std::vector<std::string> expect;
    int chunk = 12, pause_ms = 0;
    bool by_guards = false;
    std::vector<ScriptedReply> replies;
    /// May be missing in JSON.
    static constexpr std::string_view optional_fields[] = {"name",   "workflow", "dialect",  "question", "spoken",
                                                           "expect", "chunk",    "pause_ms", "by_guards"};

    /// Both throw Error{configuration} that names the place in the script. `origin` is the script's name in messages.
    static Script from_json(std::string_view text, const std::string& origin);
    static Script from_file(const std::string& path);
};
BOOST_DESCRIBE_STRUCT(Script, (),
                      (name, workflow, dialect, question, spoken, expect, chunk, pause_ms, by_guards, replies))

class ScriptedModel final : public ChatModel {
public:
    ScriptedModel(std::initializer_list<std::string> replies);
    explicit ScriptedModel(Script script) : script_(std::move(script)) {}
    std::string name() const override { return "script:" + script_.name; }
    bool calls_tools() const override;
    using ChatModel::chat;
    awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) override;
    const Script& script() const { return script_; }

private:
    const ScriptedReply& find(const ChatRequest&) const;
    const ScriptedReply& find_by_conditions(const ChatRequest&) const;
    const ScriptedReply* find_without_question(const std::string& last) const;
    std::size_t turns_in(std::string_view message) const;
    [[noreturn]] void mismatch(const std::string& expected, const std::string& actual) const;
    const Script script_;
};
}
