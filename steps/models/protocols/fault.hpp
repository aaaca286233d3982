// What went wrong in one attempt to get a reply: whose mistake it was, and whether trying again may help. Pure.
//
//     throw judge(answer, hints, key, now);     // an HTTP status that is not 200
//
// Which kind it is (steps/models/model_error.hpp):
//   transient        no connection, no such host, 408, 409, 5xx; 529 and the like wait longer
//   throttled        429, unless money or the day's quota is used up
//   permanent        other 4xx, no credit, a bad certificate: a retry would not help
//   refused          a filter of the provider
//   truncated        the reply began and broke off, or cannot be read
//   unknown_outcome  sent, and no byte of a reply came. A chat request has no effect but its price, so it
//                    is retried all the same.
//
// The sentence has no subject, "failed (503): overloaded": the caller puts the model's name before it. Words of the
// server are quoted in part, on one line, without control characters and without the key.
#pragma once
#include "steps/models/model_error.hpp"
#include "steps/models/protocols/asked_wait.hpp"
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
    int retries;  // 0: trying again does not help
    FaultKind kind;
    std::string provider_code, request_id;  // as the server says; empty if it does not
    bool too_long = false;                  // the prompt is: a shorter one may do
    bool no_tools = false;                  // the model or its server cannot call tools
    bool no_stream = false;                 // it can, but not in a stream: the whole reply may be asked for
    bool overloaded = false;                // the server has too much to do: it is left alone for longer
    bool unresolved = false;                // the host's name has no address, or nobody could tell
    AskedWait floor;                        // the server asks to wait as long as this
};

/// What users of this provider can do about it.
struct Hints {
    const char* key_variable;   // where the key comes from
    const char* missing_model;  // what helps when there is no such model
    const char* unreachable;    // what helps when nobody answers
};
struct Answer {
    unsigned status = 0;
    std::string_view retry_after_ms, retry_after, should_retry, location, request_id;  // headers; empty: none
    std::string_view body;
};

Fault judge(const Answer&, const Hints&, const Secret& key, WallTime now);
/// `begun`: a byte of the reply's body had come.
Fault judge(const net::NetError&, const Hints&, bool begun = false);
/// An error object that came with status 200, in a stream or instead of a reply; alone, or in the envelope that it came
/// in, which may have the request's id.
Fault judge_error_object(const nlohmann::json& error, const Hints&, const Secret& key);
/// A reply that cannot be used: broken JSON, no choices, cut off. Asked for once more, then an error.
Fault broken(const std::string& what);
}
