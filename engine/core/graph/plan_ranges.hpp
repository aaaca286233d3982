// The parts of a plan's tables that belong to one step or event: each begins at the end of the previous one.
//
//     for (auto& consumer : consumers_of(plan, event)) ...
//     for (auto& fan : fan_outs_of(plan, step)) ...
#pragma once
#include "engine/core/graph/plan.hpp"
#include <span>

namespace weft::core {
template <class Row, class Owner> std::span<const Row> range_of(const std::vector<Row>& rows,
                                                                const std::vector<Owner>& owners, std::size_t owner,
                                                                std::uint16_t Owner::*begin) {
    const std::size_t first = owners[owner].*begin;
    const std::size_t end = owner + 1 < owners.size() ? owners[owner + 1].*begin : rows.size();
    return std::span(rows).subspan(first, end - first);
}
/// All steps that accept the event. A failure has more such steps than the event's count, and goes to one of them.
inline std::span<const Consumer> consumers_of(const Plan& plan, TypeIndex event) {
    return range_of(plan.consumers, plan.events, event, &EventPlan::first);
}
inline std::span<const FanOutPlan> fan_outs_of(const Plan& plan, StepIndex step) {
    return range_of(plan.fan_outs, plan.steps, step, &StepPlan::first_fan);
}
}
