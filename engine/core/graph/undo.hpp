// Checks the undo step of a workflow, and that no step emits an event that only the engine makes.
#pragma once
#include "engine/core/graph/check.hpp"
#include "engine/core/graph/role.hpp"
#include "engine/core/graph/signature.hpp"

namespace weft::core {
template <auto F>
inline constexpr bool is_undo_step = contains<RunEndingEvent, typename Signature<decltype(F)>::events>;
template <class... E> constexpr bool any_failure(List<E...>) { return (is_failure<E> || ...); }
template <class... E> constexpr bool any_ending(List<E...>) { return (is_ending<E> || ...); }

template <auto F> constexpr bool emits_own_events() {
    using S = Signature<decltype(F)>;
    using Outputs = unite<typename S::single_outputs, typename S::branch_events>;
    return check::step<F>::template emits_no_failure<!any_failure(Outputs{})>::value &&
           check::step<F>::template emits_no_ending<!any_ending(Outputs{})>::value;
}
template <auto F> constexpr bool accepts_the_ending_well() {
    constexpr bool alone = std::is_same_v<typename Signature<decltype(F)>::input, RunEndingEvent>;
    return check::step<F>::template accepts_the_ending_alone < !is_undo_step<F> || alone > ::value;
}
template <auto... F> constexpr bool undoes_well() {
    static_assert((0 + ... + int(is_undo_step<F>)) <= 1, "a workflow has at most one step that accepts RunEndingEvent: "
                                                         "let it return events for other steps");
    return (emits_own_events<F>() && ...) && (accepts_the_ending_well<F>() && ...);
}
}
