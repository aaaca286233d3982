// A chat model behind HTTP: one protocol, one address, one retry policy.
//
//     HttpModel model({.name = "openai:gpt-4o-mini", .model = "gpt-4o-mini", .protocol = &openai_chat,
//                      .base = parse_url("https://api.openai.com/v1"), .key = key});
//
// Usually made by make_model (steps/models/http/providers.hpp). Serves all runs on all loops. A request is retried
// where that may help, here and nowhere else: within the policy, what the request allows and the process's allowance
// of retries (steps/models/http/retry_allowance.hpp), and never once a delta has been delivered, unless the request
// wants a restart. Requests of one server, key and model share what is known of its limits
// (steps/models/http/limiter.hpp), whichever object they go through. All attempts of a call have the same idempotency
// key, if the protocol's servers support one; so do calls with the same ChatRequest::key and the same content.
//
// A server that refuses a feature of a request is asked again without it, or with what takes its place
// (steps/models/protocols/features.hpp), once for each form, which is another request with a key of its own. The
// process remembers that for the server and the model. A reply that its server could not read, because the model wrote
// a call badly, is a reply: FinishReason::unreadable.
//
// The error in the end is a ModelError that names the model, what happened and what to change, with the text that had
// been delivered. The key is never in it, nor in a reply's text: where a server repeats it there is *** instead. Only a
// key of fewer than eight characters is not looked for. Cancelling closes the connection.
#pragma once
#include "engine/net/http_client.hpp"
#include "steps/models/http/limiter.hpp"
#include "steps/models/http/retry.hpp"
#include "steps/models/http/retry_allowance.hpp"
#include "steps/models/protocols/protocol.hpp"
#include "steps/models/protocols/reply_reader.hpp"
#include "steps/models/secret.hpp"

namespace weft::models {
/// Models may be silent for minutes while they think, and each attempt costs money. TCP itself finds out whether the
/// other side is still there.
inline net::HttpTimeouts patient() {
    net::HttpTimeouts timeouts;
    timeouts.first_byte = timeouts.total;
    timeouts.idle = std::chrono::minutes(5);
    return timeouts;
}
struct HttpModelOptions {
    std::string name;   // as a user writes it
    std::string model;  // as the server knows it
    const Protocol* protocol = nullptr;
    net::Url base;
    Secret key;                // may be empty: local servers want none
    bool stream = true;        // else the text comes as one delta, at the end
    bool prompt_cache = true;  // a server that caches what it is told to is told to cache the prompt
    RetryPolicy retry;
    net::HttpTimeouts timeouts = patient();
    net::ProxySettings proxies;  // none unless given
    // Chance for the jitter in [0, 1): a test brings its own. Thread-safe.
    std::function<double()> chance;
    // Shared by the whole process, unless given.
    std::shared_ptr<Limiter> limiter;
    std::shared_ptr<RetryAllowance> allowance;
};

class HttpCall;
class HttpModel final : public ChatModel {
public:
    explicit HttpModel(HttpModelOptions);
    std::string name() const override { return options_.name; }
    const net::Url& base() const { return options_.base; }
    const Protocol& protocol() const { return *options_.protocol; }
    using ChatModel::chat;
    awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) override;

private:
    bool streams(const ChatRequest&, const Features&) const;
    net::HttpRequest write(const ChatRequest&, Features) const;
    bool adapt(HttpCall&, const Fault&, Features&) const;
    awaitable<ChatReply> once(HttpCall&);
    [[noreturn]] void throw_answer(const net::HttpStream&, std::string page, WallTime now) const;

    HttpModelOptions options_;
    std::shared_ptr<Account> account_;
    net::HttpClient client_;
};
}
