// When a model is asked again, and after how long: the one place that decides. Pure; time and chance come in.
//
//     auto wait = next_wait(policy, fault, attempt, random01());     // none: give up
//
// Exponential growth with full jitter, as steps wait too (engine/retry.hpp), on top of what the server asks for; a
// server that says that it is overloaded is left alone for longer. A server that asks for more than `longest_wait` is
// not waited for: the call fails at once.
#pragma once
#include "steps/models/protocols/asked_wait.hpp"
#include "steps/models/protocols/fault.hpp"

namespace weft::models {
struct RetryPolicy {
    int attempts = 3;  // in all
    std::chrono::milliseconds base{500}, cap{8000}, longest_wait{120000};
    std::chrono::milliseconds overload{2000};  // the base for a server that is overloaded
};
/// After the given attempt (the first is 1) failed; `chance` is in [0, 1).
std::optional<std::chrono::milliseconds> next_wait(const RetryPolicy&, const Fault&, int attempt, double chance);
}
