// A chat model: what a step asks, and what it gets back. Providers, scripts, recordings and test doubles implement it.
//
//     ChatRequest request{.messages = {instruction("Be brief."), user("6 * 7?")}};
//     auto reply = co_await model.chat(request);                 // or chat(request, on_delta)
//
// A model is a resource: one object serves all runs on all loops at once and keeps no state of a run. Cancelling the
// run closes the connection of a call. It throws ModelError (steps/models/model_error.hpp), after retries where they
// could help.
#pragma once
#include "engine/awaitable.hpp"
#include "steps/models/message.hpp"
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace weft::models {
/// A tool that is offered to a model that can call tools by itself.
struct ToolSpec {
    std::string name, description;
    std::string parameters;  // JSON Schema
};
enum class ToolChoice { automatic, none };  // none: sent, as the conversation refers to them, but not to be called
struct Sampling {
    std::optional<double> temperature;  // none: the provider's default
    std::optional<int> max_tokens;
    std::optional<std::int64_t> seed;
};
BOOST_DESCRIBE_STRUCT(Sampling, (), (temperature, max_tokens, seed))
/// The form that the text of a reply has to have. Sent where the protocol supports it; the caller validates.
struct ReplySchema {
    std::string name = "answer";
    std::string schema;  // JSON Schema; empty: any text
};

/// What happens on the way to a reply, for callers that show or count it.
struct CallNote {
    enum class Kind {
        retry,     // an attempt has failed; the next one begins after `wait`
        restart,   // the same, after deltas were delivered: what they told is void, the reply begins anew
        reasoned,  // what the deltas told was reasoning: it is told again as such, and the text begins anew
        adapted,   // the server refuses what this client adds to a request: it is asked again in another form
        held,      // the server limits whoever uses this key: the request is held back for `wait`
        fallback,  // another model is asked in place of this one
        cached,    // the reply is known already, and nobody is asked; or it could not be kept, and the text says why
    };
    Kind kind = Kind::retry;
    std::string model;  // which one this is about; of a fallback, the one that is asked now
    std::string text;   // why: a sentence without a key
    std::chrono::milliseconds wait{0};
};
/// Whether what the deltas have told is no part of the reply.
constexpr bool is_void_after(CallNote::Kind kind) {
    return kind == CallNote::Kind::restart || kind == CallNote::Kind::reasoned;
}
using OnNote = std::function<void(const CallNote&)>;
/// Pieces of a text as they arrive, on the caller's loop.
using OnDelta = std::function<void(std::string_view)>;

struct ChatRequest {
    std::vector<Message> messages;
    std::vector<ToolSpec> tools;
    ToolChoice choice = ToolChoice::automatic;
    std::vector<std::string> stop;  // the reply ends before any of these
    Sampling sampling;
    ReplySchema schema;
    /// The same for each attempt of a step, and after a crash: requests with the same key and the same content are one
    /// to a server that supports that, which charges for it once. Empty: each call makes its own.
    std::string key;
    /// Whether a stream that breaks off after deltas is requested again from the start, with a note. Else it is an
    /// error then, because the caller has already seen what would be taken back.
    bool restart = false;
    /// The number of messages that begin the next request of this conversation unchanged. A message behind them does so
    /// up to its last joint. A provider that caches on demand is told that.
    std::size_t kept = 0;
    std::optional<int> max_retries;                     // what is left of a run's budget: 0 is one attempt
    std::optional<std::chrono::nanoseconds> time_left;  // of the run: a longer wait is not begun
    /// Another model is at hand, and is asked in place of a longer wait than this: such a wait is not begun, and a host
    /// whose name does not resolve is not looked up again. None: there is no other.
    std::optional<std::chrono::nanoseconds> longest_wait;
    /// Sent along as headers where the model is behind HTTP; no part of what is asked, nor of a recording. What is none
    /// (engine/trace_context.hpp) is not sent.
    std::string traceparent, tracestate;
    OnNote on_note;        // on the caller's loop
    OnDelta on_reasoning;  // pieces of ChatReply::reasoning; after any note but `held` it begins anew
};

struct Usage {  // tokens; 0 where the provider does not say
    std::int64_t prompt_tokens = 0, completion_tokens = 0;
    std::int64_t cached_tokens = 0;         // of the prompt: read from the provider's cache
    std::int64_t reasoning_tokens = 0;      // of the completion: thought before the text
    std::int64_t cache_written_tokens = 0;  // of the prompt: read anew, and written into that cache
    static constexpr std::string_view optional_fields[] = {"cached_tokens", "reasoning_tokens", "cache_written_tokens"};
    Usage& operator+=(const Usage& other) {
        prompt_tokens += other.prompt_tokens;
        completion_tokens += other.completion_tokens;
        cached_tokens += other.cached_tokens;
        reasoning_tokens += other.reasoning_tokens;
        cache_written_tokens += other.cache_written_tokens;
        return *this;
    }
    friend bool operator==(const Usage&, const Usage&) = default;
};
BOOST_DESCRIBE_STRUCT(Usage, (),
                      (prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, cache_written_tokens))

enum class FinishReason {
    stop,
    length,
    tool_calls,
    refused,
    unknown,
    unreadable,  // the server could not read the call that the model wrote: ChatReply::fault has its words
};
BOOST_DESCRIBE_ENUM(FinishReason, stop, length, tool_calls, refused, unknown, unreadable)
struct ChatReply {
    std::string text;
    std::vector<ToolCall> calls;  // in the order of the reply; never to be run if `finish` is length
    Usage usage;
    FinishReason finish = FinishReason::stop;
    std::string model;        // which one answered, as the provider says; empty: agents take ChatModel::name()
    Native native;            // the reply as the protocol wrote it
    std::string request_id;   // the provider's, for its support; may be empty
    int attempts = 1;         // requests that it took
    std::string answered_by;  // ChatModel::name() of the one that replied, where that is not the one that was asked
    std::string reasoning;  // what it thought before the text, where the server tells: to be shown, no part of the text
    bool cached = false;    // nobody was asked: it is one that was given before (steps/models/recording/cache.hpp)
    std::string fault;  // of FinishReason::unreadable: a sentence for the model; then there is neither text nor call
    /// What the next request shows of it.
    Message message() const { return {Role::assistant, text, calls, {}, {}, true, native}; }
    static constexpr std::string_view optional_fields[] = {"calls",     "usage",      "finish",   "model",
                                                           "native",    "request_id", "attempts", "answered_by",
                                                           "reasoning", "cached",     "fault"};
    friend bool operator==(const ChatReply&, const ChatReply&) = default;
};
BOOST_DESCRIBE_STRUCT(ChatReply, (),
                      (text, calls, usage, finish, model, native, request_id, attempts, answered_by, reasoning, cached,
                       fault))

class ChatModel {
public:
    virtual ~ChatModel() = default;
    virtual std::string name() const = 0;  // as a user writes it: openai:gpt-4o-mini
    /// Whether it may answer with calls. Where only the server knows, it is asked, and says ToolsUnsupported if not.
    virtual bool calls_tools() const { return true; }
    /// Both arguments outlive the call. The deltas are of the text: together they are ChatReply::text, or what follows
    /// the last note after which deltas are void (is_void_after).
    virtual awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) = 0;
    awaitable<ChatReply> chat(const ChatRequest& request) { return chat(request, nobody()); }

private:
    static const OnDelta& nobody() {
        static const OnDelta none;
        return none;
    }
};
}
