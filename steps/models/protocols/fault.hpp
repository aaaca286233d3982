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
    bool unreadable = false;                // the model wrote a call that its server could not read: tell the model
    std::string refusal;                    // of a request: the server's words, names and codes in lower case
    bool overloaded = false;                // the server has too much to do: it is left alone for longer
    bool unresolved = false;                // the host's name has no address, or nobody could tell
    AskedWait floor;                        // the server asks to wait as long as this
    std::string reset;  // or until then, as until_point reads it: whoever has a clock sets the floor
};

/// What users of this provider can do about it.
struct Hints {
    const char* key_variable;   // where the key comes from
    const char* missing_model;  // what helps when there is no such model
    const char* unreachable;    // what helps when nobody answers
    const char* wrong_address;  // what helps when there is no such endpoint
};
struct Answer {
    unsigned status = 0;
    AskedWait told;                                                      // by a header that says so
    AskedWait limit;                                                     // by those that say how a limit stands
    std::string_view should_retry = {}, location = {}, request_id = {};  // headers; empty: none
    std::string_view body = {};
    std::string_view address = {};  // that was asked, as people may see it
};

Fault judge(const Answer&, const Hints&, const Secret& key, WallTime now);
/// `begun`: a byte of the reply's body had come.
Fault judge(const net::NetError&, const Hints&, bool begun = false);
/// An error object that came with status 200, in a stream or instead of a reply; alone, or in the envelope that it came
/// in, which may have the request's id.
Fault judge_error_object(const nlohmann::json& error, const Hints&, const Secret& key);
/// A text that came with status 200 where a reply should be: JSON in any form of an error, a sentence, or a web page.
Fault judge_text(std::string_view text, const Hints&, const Secret& key);
/// Throws the fault if a document that came with status 200, or a part of a stream, is an error and no reply: the one
/// place that decides, for all protocols.
void throw_if_error(const nlohmann::json&, const Hints&, const Secret& key);
/// The server could not read what the model wrote, and says so in these words, which the model is told.
Fault unreadable(const std::string& said);
/// The conversation is too long for the model; a shorter one may do.
Fault too_long(const std::string& what);
/// A reply that cannot be used: broken JSON, no choices, cut off. Asked for once more, then an error.
Fault broken(const std::string& what);
}
