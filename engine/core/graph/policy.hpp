// The policy of a step: limits on workers, time and attempts; for a handler, its steps.
#pragma once
#include "engine/retry.hpp"
#include <cstddef>
#include <cstdint>

namespace weft::core {
/// Steps by their function_id.
struct StepIds {
    const void* const* first = nullptr;
    std::size_t size = 0;
    constexpr const void* const* begin() const { return first; }
    constexpr const void* const* end() const { return first + size; }
    bool operator==(const StepIds&) const = default;
};
struct Policy {
    std::uint32_t workers = 4;
    std::uint32_t first = 0;              // for a collector: its quorum; 0: all branches
    std::uint8_t recoveries = 1;          // for a failure handler
    StepIds of;                           // for a failure handler: steps whose failures it takes; empty: all
    std::chrono::nanoseconds timeout{0};  // 0: no timeout
    std::chrono::nanoseconds within = std::chrono::minutes(1);  // for the undo step: limit for the whole undoing
    Retry retry{.attempts = 1};
    bool repeatable = false;  // no effect: its events can be made again
    bool operator==(const Policy&) const = default;
};

/// Errors in policies. These functions are not constexpr, so a constant policy fails to compile with the function's
/// name, which is the sentence. At run time they throw Error{usage}.
namespace check {
[[noreturn]] void a_step_needs_at_least_one_worker();
[[noreturn]] void a_step_has_at_most_1000000_workers();
[[noreturn]] void a_timeout_has_to_be_longer_than_nothing();
[[noreturn]] void a_step_needs_at_least_one_attempt();
[[noreturn]] void a_step_makes_at_most_255_attempts();
[[noreturn]] void a_step_that_recovers_does_so_at_least_once();
[[noreturn]] void a_step_recovers_at_most_255_times();
[[noreturn]] void a_collector_goes_on_with_the_first_one_or_more();
[[noreturn]] void a_workflow_has_at_least_one_run_at_once();
[[noreturn]] void a_workflow_has_a_name();
[[noreturn]] void two_steps_handle_the_failures_of_one_step();
[[noreturn]] void of_names_a_step_that_is_not_in_this_workflow();
[[noreturn]] void of_names_a_step_whose_failures_do_not_fit_the_handler();
}
}
