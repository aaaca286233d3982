// A chat model: the interface that steps ask. Providers, scripts, recordings and test doubles implement it.
//
//     ChatRequest request{.messages = {instruction("Be brief."), user("6 * 7?")}};
//     auto reply = co_await model.chat(request);                 // or chat(request, on_delta)
//
// A model is a resource: one object serves all runs on all loops at once and keeps no state of a run. Cancelling the
// run closes the connection of a call. A call throws ModelError (steps/models/model_error.hpp), after retries where
// they could help.
#pragma once
#include "engine/awaitable.hpp"
#include "steps/models/message.hpp"
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace weft::models {
/// A tool that a request offers to a model with native tool calls.
struct ToolSpec {
    std::string name = {},        // the tool's, in the model's calls
        description = {};         // for the model
    std::string parameters = {};  // JSON Schema
};
/// Whether a reply may call the request's tools.
enum class ToolChoice {
    automatic,  // the model decides
    none        // calls are forbidden; the tools are sent, because the conversation refers to them
};
/// How a model chooses among words.
struct Sampling {
    std::optional<double> temperature = {};  // empty: the provider's default
    std::optional<int> max_tokens = {};      // maximum length of the reply; empty: the protocol's default
    std::optional<std::int64_t> seed = {};   // for repeatable replies, from providers that support it; empty: none
};
BOOST_DESCRIBE_STRUCT(Sampling, (), (temperature, max_tokens, seed))
/// The JSON schema of a reply's text. Sent if the protocol supports schemas; the caller validates the text.
struct ReplySchema {
    std::string name = "answer";  // the schema's, for protocols that require one
    std::string schema = {};      // JSON Schema; empty: any text
};

/// A report on the progress of a call, for callers that show or count these.
struct CallNote {
    enum class Kind {
        retry,     // an attempt failed; the next one begins after `wait`
        restart,   // the same after deltas were delivered: they are void, and the reply starts again
        reasoned,  // the deltas were reasoning: they come again as reasoning, and the text starts again
        adapted,   // the server refuses a feature: the request is sent again in another form
        held,      // the server limits requests with this key: the request waits for `wait`
        fallback,  // the next model is asked instead
        cached,    // the reply is from the cache; or the cache could not keep it, and `text` has the reason
    };
    BOOST_DESCRIBE_NESTED_ENUM(Kind, retry, restart, reasoned, adapted, held, fallback, cached)
    Kind kind = Kind::retry;            // the incident
    std::string model;                  // the model that the note is about; for a fallback, the next model
    std::string text;                   // the reason: a sentence without a key
    std::chrono::milliseconds wait{0};  // time until the next request; 0 for kinds without a wait
};
/// True if the deltas so far are not part of the reply.
constexpr bool is_void_after(CallNote::Kind kind) {
    return kind == CallNote::Kind::restart || kind == CallNote::Kind::reasoned;
}
/// Gets the notes of a call as they happen, on the caller's loop.
using OnNote = std::function<void(const CallNote&)>;
/// Gets the pieces of a text as they arrive, on the caller's loop.
using OnDelta = std::function<void(std::string_view)>;

struct ChatRequest {
    std::vector<Message> messages = {};
    std::vector<ToolSpec> tools = {};           // tools that the model may call
    ToolChoice choice = ToolChoice::automatic;  // whether the reply may call them
    std::vector<std::string> stop = {};         // the reply ends before any of these
    Sampling sampling = {};                     // how the model chooses its words
    ReplySchema schema = {};                    // the form of the reply's text
    /// The same for all attempts of a step, also after a crash. A server with idempotency keys charges only once for
    /// requests with the same key and content. Empty: each call makes its own.
    std::string key = {};
    /// If true, a stream that breaks off after deltas is requested again from the start, with a note. If false, that is
    /// an error, because the caller may have shown the deltas.
    bool restart = false;
    /// The number of messages that also begin the next request of this conversation, unchanged. The message behind them
    /// is unchanged up to its last joint. Requests to providers that cache on demand mark these places.
    std::size_t kept = 0;
    std::optional<int> max_retries = {};                     // the rest of a run's budget: 0 allows one attempt
    std::optional<std::chrono::nanoseconds> time_left = {};  // until the run's deadline: no longer wait begins
    /// Set if another model is available: the call fails instead of waiting longer than this, and does not repeat the
    /// look-up of a host name that does not resolve. Empty: there is no other model.
    std::optional<std::chrono::nanoseconds> longest_wait = {};
    /// Sent as HTTP headers; not part of the request's content or of a recording. Invalid values
    /// (engine/trace_context.hpp) are not sent.
    std::string traceparent = {}, tracestate = {};  // tracestate: only with a valid traceparent
    /// The text of a member of the run's values, or nothing: calls share a limit by it (storage::ModelLimit::per).
    std::function<std::string(const std::string&)> value_of = {};
    OnNote on_note = {};        // called on the caller's loop
    OnDelta on_reasoning = {};  // pieces of ChatReply::reasoning; starts again after any note but `held`
};

struct Usage {                              // tokens; 0 if the provider does not report them
    std::int64_t prompt_tokens = 0,         // the whole request's, also those from the cache
        completion_tokens = 0;              // the whole reply's, also those of its reasoning
    std::int64_t cached_tokens = 0;         // prompt tokens read from the provider's cache
    std::int64_t reasoning_tokens = 0;      // completion tokens of the reasoning before the text
    std::int64_t cache_written_tokens = 0;  // prompt tokens written into that cache
    /// May be missing in JSON.
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

/// The reason why a reply ends.
enum class FinishReason {
    stop,        // the model ended it, or a stop sequence did
    length,      // it was cut off at the maximum length
    tool_calls,  // it has calls, and the model waits for their results
    refused,     // the model or its provider refuses to reply
    unknown,     // the server names no reason, or one that is not known here
    unreadable,  // the server could not parse the model's call; ChatReply::fault explains
};
BOOST_DESCRIBE_ENUM(FinishReason, stop, length, tool_calls, refused, unknown, unreadable)
/// The answer of a model to one request.
struct ChatReply {
    std::string text = {};                     // without reasoning
    std::vector<ToolCall> calls = {};          // order of the reply; do not execute them if `finish` is length
    Usage usage = {};                          // as the provider reports it
    FinishReason finish = FinishReason::stop;  // `length`: text and calls may be incomplete
    std::string model = {};       // the provider's name of the model that answered; empty: agents use ChatModel::name()
    Native native = {};           // the reply in the protocol's own form
    std::string request_id = {};  // the provider's, for its support; may be empty
    int attempts = 1;             // number of requests
    std::string answered_by = {};  // ChatModel::name() of the model that replied; empty: the model that was asked
    std::string reasoning = {};    // thoughts before the text, if the server sends them: for display only
    bool cached = false;           // true for a reply from a cache (steps/models/recording/cache.hpp)
    std::string fault = {};        // for FinishReason::unreadable: a sentence for the model; text and calls are empty
    /// Returns the reply as a message for the next request.
    Message message() const { return {Role::assistant, text, calls, {}, {}, true, native}; }
    /// May be missing in JSON.
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
    virtual std::string name() const = 0;  // form for users: openai:gpt-4o-mini
    /// True if the model may answer with calls. If only the server knows, chat() may throw ToolsUnsupported.
    virtual bool calls_tools() const { return true; }
    /// Both arguments outlive the call. The deltas together are ChatReply::text; only those since the last note that
    /// voids deltas (is_void_after) count.
    virtual awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) = 0;
    awaitable<ChatReply> chat(const ChatRequest& request) { return chat(request, no_deltas()); }

private:
    static const OnDelta& no_deltas() {
        static const OnDelta none;
        return none;
    }
};
}
