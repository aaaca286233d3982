// What went wrong in one attempt to get a reply, judged: whose mistake, and whether trying again may help. Pure.
//
//     throw judge(answer, hints, key, wall_clock_now);     // an HTTP status that is not 200
//
// The sentence is a predicate, "failed (503): overloaded": whoever reports it puts the model's name before it. Words
// of the server are quoted in part, on one line, without control characters and without the key.
#pragma once
#include "steps/llm/model_error.hpp"
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace weft::net {
class NetError;
}
namespace weft::llm {
class Secret;
class Fault : public std::runtime_error {
public:
    static constexpr int any = 1000;  // retries: as many as the policy allows
    Fault(Code c, const std::string& predicate, int r = 0) : std::runtime_error(predicate), code(c), retries(r) {}
    Code code;
    int retries;  // 0: trying again does not help
    FaultKind kind = FaultKind::permanent;
    std::string provider_code, request_id;           // as the server says; empty if it does not
    bool too_long = false;                           // the prompt is: a shorter one may do
    bool no_tools = false;                           // the model or its server cannot call tools
    std::optional<std::chrono::milliseconds> floor;  // the server asks to wait as long as this
};

/// What users of this provider can do about it.
struct Hints {
    const char* key_variable;   // where the key comes from
    const char* missing_model;  // what helps when there is no such model
    const char* unreachable;    // what helps when nobody answers
};
struct Answer {
    unsigned status = 0;
    std::string_view retry_after_ms, retry_after, should_retry, location;  // headers; empty if there are none
    std::string_view body;
};
using WallTime = std::chrono::system_clock::time_point;

Fault judge(const Answer&, const Hints&, const Secret& key, WallTime now);
Fault judge(const net::NetError&, const Hints&);
/// An error object that came with status 200, in a stream or instead of a reply.
Fault judge_error_object(const nlohmann::json& error, const Hints&, const Secret& key);
/// A reply that cannot be used: broken JSON, no choices, cut off.
Fault broken(const std::string& what);
}
