// The fault of one attempt to get a reply: its cause, and whether a retry may help. Pure.
//
//     throw judge(answer, hints, key, now);     // an HTTP status that is not 200
//
// The kinds (steps/models/model_error.hpp):
//   transient        no connection, unknown host, 408, 409, 5xx; 529 and similar ones wait longer
//   throttled        429, unless credit or the day's quota is used up
//   permanent        other 4xx, no credit, a bad certificate: a retry would not help
//   refused          the provider's filter
//   truncated        the reply began and broke off, or is malformed
//   unknown_outcome  sent, but without a byte of a reply. A chat request has no effect but its price, so it
//                    is retried, too.
//
// The sentence has no subject, as in "failed (503): overloaded": the caller puts the model's name before it. It quotes
// an excerpt of the server's words on one line, without control characters and the key.
#pragma once
#include "steps/models/model_error.hpp"
#include "steps/models/protocols/wire/retry_after.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft::net {
class NetError;
}
namespace weft::models {
class Secret;
class Fault : public std::runtime_error {
public:
    static constexpr int any = 1000;  // retries: as many as the policy allows
    Fault(Code c, const std::string& what, int r = 0, FaultKind k = FaultKind::permanent)
        : std::runtime_error(what), code(c), retries(r), kind(k) {}
    Code code;
    int retries;  // 0: a retry does not help
    FaultKind kind;
    std::string provider_code, request_id;  // the server's; empty if missing
    bool too_long = false;                  // the prompt is too long: a shorter one may succeed
    bool no_tools = false;                  // the model or its server cannot call tools
    bool unreadable = false;                // the server could not parse the model's call: the model gets the sentence
    std::string refusal;                    // a refusal of a request: words, names and codes in lower case
    bool overloaded = false;                // the server is overloaded: the wait is longer
    bool unresolved = false;                // the host's name has no address, or its look-up failed
    RetryAfter floor;                       // the wait that the server asks for
    std::string reset;                      // else the end of that wait, for until_point; the caller computes the floor
};

/// Cures that users of this provider can apply.
struct ProviderHints {
    const char* key_variable;   // the variable of the key
    const char* missing_model;  // if the model does not exist
    const char* unreachable;    // if the server does not answer
    const char* wrong_address;  // if the endpoint does not exist
};
struct ResponseHead {
    unsigned status = 0;
    RetryAfter told;                                                     // from a header for retries
    RetryAfter limit;                                                    // from the headers of limits
    std::string_view should_retry = {}, location = {}, request_id = {};  // headers; empty: missing
    std::string_view body = {};
    std::string_view address = {};  // the request's, without secrets
};

Fault judge(const ResponseHead&, const ProviderHints&, const Secret& key, WallTime now);
/// `begun`: a byte of the reply's body has arrived.
Fault judge(const net::NetError&, const ProviderHints&, bool begun = false);
/// Judges an error object with status 200, in a stream or instead of a reply; alone or in its envelope, which may have
/// the request's id.
Fault judge_error_object(const nlohmann::json& error, const ProviderHints&, const Secret& key);
/// Judges a text with status 200 instead of a reply: JSON in any form of an error, a sentence, or a web page.
Fault judge_text(std::string_view text, const ProviderHints&, const Secret& key);
/// Throws the fault if a document with status 200, or a part of a stream, is an error and not a reply. All protocols
/// use this function.
void throw_if_error(const nlohmann::json&, const ProviderHints&, const Secret& key);
/// Returns the fault for a server that could not parse the model's text; the model gets the server's words.
Fault unreadable(const std::string& said);
/// Returns the fault for a conversation that is too long for the model; a shorter one may succeed.
Fault too_long(const std::string& what);
/// Returns the fault for an unusable reply: malformed JSON, no choices, cut off. It allows one retry.
Fault broken(const std::string& what);
}
