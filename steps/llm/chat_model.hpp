// A chat model: what a step asks, and what it gets back. Providers, scripts and test doubles implement it.
//
//     ChatRequest request{.messages = {instruction("Be brief."), user("6 * 7?")}};
//     auto reply = co_await model.chat(request);                 // or chat(request, on_delta)
//
// A model is a resource: one object serves all runs on all loops at once and keeps no state of a run. Cancelling the
// run closes the connection of a call. It throws Error with model_unreachable, model_refused or model_failed; what was
// worth trying again has been tried again by then.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/describe.hpp"
#include "engine/error.hpp"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::llm {
enum class Role { system, user, assistant, tool };
BOOST_DESCRIBE_ENUM(Role, system, user, assistant, tool)

struct Message {
    Role role = Role::user;
    std::string content;
};
BOOST_DESCRIBE_STRUCT(Message, (), (role, content))
// Not called system, which a literal would take for the C library's.
inline Message instruction(std::string text) { return {Role::system, std::move(text)}; }
inline Message user(std::string text) { return {Role::user, std::move(text)}; }
inline Message assistant(std::string text) { return {Role::assistant, std::move(text)}; }

/// A tool that is offered to a model that can call tools by itself.
struct ToolSpec {
    std::string name, description;
    std::string parameters;  // JSON Schema
};
struct Sampling {
    std::optional<double> temperature;  // none: the provider's default
    std::optional<int> max_tokens;
    std::optional<std::int64_t> seed;
};
BOOST_DESCRIBE_STRUCT(Sampling, (), (temperature, max_tokens, seed))
struct ChatRequest {
    std::vector<Message> messages;
    std::vector<ToolSpec> tools;
    std::vector<std::string> stop;  // the reply ends before any of these
    Sampling sampling;
};

struct Usage {  // tokens; 0 where the provider does not say
    std::int64_t prompt_tokens = 0, completion_tokens = 0;
};
BOOST_DESCRIBE_STRUCT(Usage, (), (prompt_tokens, completion_tokens))
enum class FinishReason { stop, length, tool_calls, refused, unknown };
struct ChatReply {
    std::string text;
    Usage usage;
    FinishReason finish = FinishReason::stop;
    std::string model;  // which one answered, as the provider says
};

/// What a model throws for a prompt that is longer than it can read, before any delta. A shorter one may do.
struct PromptTooLong : Error {
    explicit PromptTooLong(const std::string& sentence) : Error(Code::model_refused, sentence) {}
};

/// Pieces of the text as they arrive, on the loop of whoever asked. Together they are ChatReply::text.
using OnDelta = std::function<void(std::string_view)>;

class ChatModel {
public:
    virtual ~ChatModel() = default;
    virtual std::string name() const = 0;  // as a user writes it: openai:gpt-4o-mini
    /// Both arguments outlive the call.
    virtual awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) = 0;
    awaitable<ChatReply> chat(const ChatRequest& request) { return chat(request, nobody()); }

private:
    static const OnDelta& nobody() {
        static const OnDelta none;
        return none;
    }
};
}
