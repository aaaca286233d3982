// How a step is run: how often at once, how long, how often again.
#pragma once
#include "engine/retry.hpp"

namespace weft {
struct Policy {
    std::uint32_t workers = 4;
    std::uint8_t recoveries = 1;          // of a step that accepts StepFailedEvent
    std::chrono::nanoseconds timeout{0};  // 0: none
    Retry retry{.attempts = 1};
    bool operator==(const Policy&) const = default;
};

/// Numbers that make no sense. None of these functions can be called while compiling, so that a policy of a constant
/// fails there with the function's name, which is the sentence. At run time they throw Error{usage}.
namespace check {
[[noreturn]] void a_step_needs_at_least_one_worker();
[[noreturn]] void a_step_has_at_most_1000000_workers();
[[noreturn]] void a_timeout_has_to_be_longer_than_nothing();
[[noreturn]] void a_step_needs_at_least_one_attempt();
[[noreturn]] void a_step_makes_at_most_255_attempts();
[[noreturn]] void a_step_that_recovers_does_so_at_least_once();
[[noreturn]] void a_step_recovers_at_most_255_times();
}
}
