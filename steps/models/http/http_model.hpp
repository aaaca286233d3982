// A chat model behind HTTP: one protocol, one address, one retry policy.
//
//     HttpModel model({.name = "openai:gpt-4o-mini", .model = "gpt-4o-mini", .protocol = &openai_chat,
//                      .base = parse_url("https://api.openai.com/v1"), .key = key});
//
// make_model (steps/models/http/providers.hpp) makes an HttpModel, which serves all runs on all loops. Retries happen
// only here: within the policy, the limits of the request and the process's allowance
// (steps/models/http/retry_allowance.hpp), and never after the first delta, unless the request wants a restart. All
// objects of the process share what they know of a server's limits for a key and model (steps/models/http/limiter.hpp).
// All attempts of a call have the same idempotency key, if the protocol's servers support one; so have calls with the
// same ChatRequest::key and content.
//
// If a server refuses a feature, the request is sent again without it or with its substitute
// (steps/models/protocols/parts/features.hpp): once for each form, with another idempotency key. The process remembers
// the form for the server and model. If the server could not parse the model's call, chat() returns a reply with
// FinishReason::unreadable.
//
// Failures throw a ModelError that names the model, the problem and the cure, with the text delivered so far. ***
// replaces the key in errors and in the text of replies, unless the key has fewer than eight characters. Cancelling
// closes the connection.
#pragma once
#include "engine/net/http_client.hpp"
#include "steps/models/http/limiter.hpp"
#include "steps/models/http/model_quota.hpp"
#include "steps/models/http/retry.hpp"
#include "steps/models/http/retry_allowance.hpp"
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/protocol.hpp"
#include "steps/models/secret.hpp"

namespace weft::models {
/// Timeouts for models, which may think in silence for minutes, and where each attempt costs money. TCP itself detects
/// a lost peer.
inline net::HttpTimeouts patient() {
    net::HttpTimeouts timeouts;
    timeouts.first_byte = timeouts.total;
    timeouts.idle = std::chrono::minutes(5);
    return timeouts;
}
struct HttpModelOptions {
    std::string name = {};   // name for users
    std::string model = {};  // name for the server
    const Protocol* protocol = nullptr;
    net::Url base = {};
    Secret key = {};           // may be empty, for local servers
    bool stream = true;        // false: the text is one delta, at the end
    bool prompt_cache = true;  // asks servers that cache on demand to cache the prompt
    RetryPolicy retry = {};
    net::HttpTimeouts timeouts = patient();
    net::ProxySettings proxies = {};  // empty: no proxy
    // Random number in [0, 1) for the jitter; tests bring their own. Thread-safe.
    std::function<double()> chance = {};
    // Empty: shared by the whole process.
    std::shared_ptr<Limiter> limiter = {};
    std::shared_ptr<RetryAllowance> allowance = {};
    std::shared_ptr<ModelQuota> quota = {};  // shared with other processes; null: none
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
    awaitable<void> once(HttpCall&, ChatReply&);
    [[noreturn]] void throw_answer(const net::HttpStream&, std::string page, WallTime now) const;

    HttpModelOptions options_;
    std::shared_ptr<const net::RequestHead> whole_, streamed_;  // heads of requests for the two forms of a reply
    std::shared_ptr<Account> account_;
    net::HttpClient client_;
};
}
