// Decides whether and when a model is asked again: the only such place. Pure; chance is a parameter.
//
//     auto wait = next_wait(policy, fault, attempt, random01());     // nullopt: give up
//
// The wait grows exponentially with full jitter, as for steps (engine/retry.hpp), on top of the wait that the server
// asks for. An overloaded server gets a longer one. If the server asks for more than `longest_wait`, the call fails at
// once.
#pragma once
#include "steps/models/protocols/wire/fault.hpp"

namespace weft::models {
struct RetryPolicy {
    int attempts = 3;  // including the first
    std::chrono::milliseconds base{500}, cap{8000}, longest_wait{120000};
    std::chrono::milliseconds overload{2000};  // the base for an overloaded server
};
/// Returns the wait after the given failed attempt, counted from 1; nullopt: give up. `chance` is in [0, 1).
std::optional<std::chrono::milliseconds> next_wait(const RetryPolicy&, const Fault&, int attempt, double chance);
}
