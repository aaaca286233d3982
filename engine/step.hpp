// A step of a workflow: a function, and its policy.
//
//     step<search>.workers(8).timeout(10s)                // a function, and its policy
//     step<report>.first(2)                               // a collector that runs with the first two branches
//     step<rescue>.of<search>()                           // a failure handler of one step
#pragma once
#include "engine/core/graph/check.hpp"
#include "engine/core/graph/policy.hpp"
#include "engine/core/graph/role.hpp"
#include "engine/core/graph/signature.hpp"
#include "engine/event.hpp"
#include "engine/text/name.hpp"
#include <array>
#include <type_traits>

namespace weft {
namespace core {
template <class... E> constexpr bool all_copyable(List<E...>) { return (std::is_copy_constructible_v<E> && ...); }
template <class F> struct StepFunction { using type = std::remove_const_t<F>; };
template <class F>
requires requires { typename F::Function; }
struct StepFunction<F> {
    using type = typename F::Function;
};
template <class F> using FunctionOf = typename StepFunction<F>::type;
}
/// A step and its policy. Policies are values: the type of the workflow does not depend on them.
template <auto Fn> struct Step {
    static constexpr std::string_view name = core::FunctionName<Fn>::base;  // unless another step has this name
    core::Policy policy{};

    /// At most n invocations run at once in a run; further ones wait, first in, first out. Default 4.
    constexpr Step workers(long long n) const {
        if (n < 1) core::check::a_step_needs_at_least_one_worker();
        if (n > 1'000'000) core::check::a_step_has_at_most_1000000_workers();
        return with(&core::Policy::workers, std::uint32_t(n));
    }
    /// A longer attempt is cancelled and fails with Error{timed_out}. For steps that wait.
    constexpr Step timeout(std::chrono::nanoseconds limit) const {
        static_assert(core::Signature<decltype(Fn)>::waits, "only a step that returns awaitable can be stopped");
        if (limit.count() <= 0) core::check::a_timeout_has_to_be_longer_than_nothing();
        return with(&core::Policy::timeout, limit);
    }
    /// A failed attempt is followed by another one, after a wait (engine/retry.hpp). Default: none. The compiler
    /// refuses a step whose event cannot be copied. Attempts outside of 1 to 255 are refused like other policies.
    constexpr Step retry(Retry r) const {
        using Sig = core::Signature<decltype(Fn)>;
        constexpr bool copyable = core::all_copyable(typename Sig::events{});
        (void)core::check::step<Fn>::template may_be_tried_again<copyable>::value;
        if (r.attempts < 1) core::check::a_step_needs_at_least_one_attempt();
        if (r.attempts > 255) core::check::a_step_makes_at_most_255_attempts();
        return with(&core::Policy::retry, r);
    }
    /// For a collector: it runs with the first n branches, in fan-out order, and the others are cancelled. With fewer
    /// than n branches, it runs with all of them when the last one has settled.
    constexpr Step first(long long n) const {
        static_assert(core::Signature<decltype(Fn)>::collects,
                      "only a step that accepts a vector continues with the first n of a fan-out");
        if (n < 1 || n > 0xffff'ffff) core::check::a_collector_goes_on_with_the_first_one_or_more();
        return with(&core::Policy::first, std::uint32_t(n));
    }
    /// For a failure handler: it takes a failure only if fewer than n rescues, by any handler, led to the failed event.
    /// Default 1.
    constexpr Step recoveries(long long n) const {
        static_assert(is_handler, "only a step that accepts StepFailedEvent or FailedEvent recovers others");
        if (n < 1) core::check::a_step_that_recovers_does_so_at_least_once();
        if (n > 255) core::check::a_step_recovers_at_most_255_times();
        return with(&core::Policy::recoveries, std::uint8_t(n));
    }
    /// For a failure handler: it takes only failures of these steps, and precedes a handler without such a list.
    template <auto... Steps> constexpr Step of() const {
        static_assert(is_handler, "only a step that accepts StepFailedEvent or FailedEvent takes failures of others");
        static_assert(sizeof...(Steps) > 0, "of<...>() names at least one step");
        auto s = *this;
        if constexpr (is_handler) s.policy.of = {ids<Steps...>.data(), ids<Steps...>.size()};
        return s;
    }

    /// For the undo step: the limit for the whole undoing, from the cancellation of the other work on. Default 1 min.
    constexpr Step within(std::chrono::nanoseconds limit) const {
        static_assert(core::is_ending<core::event_of<core::Signature<decltype(Fn)>>>,
                      "only the undo step, which accepts RunEndingEvent, limits the time of the undoing");
        if (limit.count() <= 0) core::check::a_timeout_has_to_be_longer_than_nothing();
        return with(&core::Policy::within, limit);
    }

    /// The step has no effect, and always makes the same result from the same event and slots. A durable run does not
    /// store its events but makes them again, and the next step need not wait for the disk. For steps that do not wait.
    constexpr Step repeatable() const {
        static_assert(!core::Signature<decltype(Fn)>::waits,
                      "a step that waits has an effect, so it is not repeatable: what it waits for goes into ctx.once");
        return with(&core::Policy::repeatable, true);
    }

    /// The function, so that code such as a unit test can call a step.
    constexpr operator core::FunctionOf<decltype(Fn)>() const { return Fn; }

private:
    template <class T> constexpr Step with(T core::Policy::*member, std::type_identity_t<T> value) const {
        auto s = *this;
        s.policy.*member = value;
        return s;
    }
    static constexpr bool is_handler = core::is_failure<core::event_of<core::Signature<decltype(Fn)>>>;
    template <auto... Steps> static constexpr std::array ids{core::function_id<Steps>...};
};
template <auto Fn> inline constexpr Step<Fn> step{};
}
