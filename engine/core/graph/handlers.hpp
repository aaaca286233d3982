// Assigns failure handlers to the steps of a workflow, by types and policies.
#pragma once
#include "engine/core/graph/plan.hpp"
#include "engine/core/graph/policy.hpp"
#include "engine/core/graph/topology.hpp"

namespace weft::core {
template <std::size_t steps> struct Handlers {
    std::array<const void*, steps> ids{};   // function_id
    std::array<StepSet, steps> by_event{};  // for each step: handlers of its FailedEvent
    StepSet general = 0;                    // handlers of StepFailedEvent
    StepSet undo = 0;                       // the undo step, whose failures only a handler with a list takes
    using Policies = std::array<Policy, steps>;

    /// The handler of a step's failures, or no_step. Two equal candidates are an error.
    constexpr StepIndex of(std::size_t step, const Policies& policies) const {
        StepIndex best = no_step;
        int best_rank = 0;
        bool two = false;
        for (std::size_t h = 0; h < steps; ++h) {
            const int r = rank(h, step, policies[h]);
            two = r > best_rank ? false : two || (r > 0 && r == best_rank);
            if (r > best_rank) best_rank = r, best = StepIndex(h);
        }
        if (two) core::check::two_steps_handle_the_failures_of_one_step();
        return best;
    }
    constexpr void check(const Policies& policies) const {
        for (std::size_t h = 0; h < steps; ++h)
            for (auto* id : policies[h].of) {
                std::size_t s = 0;
                while (s < steps && ids[s] != id) ++s;
                if (s == steps) core::check::of_names_a_step_that_is_not_in_this_workflow();
                if (rank(h, s, policies[h]) == 0) core::check::of_names_a_step_whose_failures_do_not_fit_the_handler();
            }
    }

private:
    // 0: the handler does not fit. A handler that names its steps precedes a general one; among equals, a handler of
    // the failed event precedes a handler of StepFailedEvent.
    constexpr int rank(std::size_t handler, std::size_t step, const Policy& policy) const {
        const bool event = by_event[step] >> handler & 1;
        const bool fits = handler != step && (event || (general >> handler & 1));
        const bool has_list = policy.of.size > 0;
        bool listed = false;
        for (auto* id : policy.of) listed |= id == ids[step];
        if (!has_list && (undo >> step & 1)) return 0;
        return !fits || (has_list && !listed) ? 0 : 1 + 2 * has_list + event;
    }
};
}
