// The role of an event, by its bases.
#pragma once
#include "engine/event.hpp"
#include "engine/text/name.hpp"

namespace weft::core {
enum class EventRole : std::uint8_t { plain, stop, request, ending };
BOOST_DESCRIBE_ENUM(EventRole, plain, stop, request, ending)

template <class E> inline constexpr bool is_start = std::is_base_of_v<StartEvent, E>;
template <class E> inline constexpr bool is_stop = std::is_base_of_v<StopEvent, E>;
template <class E> inline constexpr bool is_request = std::is_base_of_v<InputRequiredEvent, E>;
template <class E> inline constexpr bool is_response = std::is_base_of_v<HumanResponseEvent, E>;
template <class E> inline constexpr bool is_signal = std::is_base_of_v<SignalEvent, E>;
template <class E> inline constexpr bool is_failure = std::is_base_of_v<StepFailedEvent, E>;
/// Whether the step that accepts the event is the undo step.
template <class E> inline constexpr bool is_ending = std::is_same_v<E, RunEndingEvent>;
/// Whether the type can be an event: no number, no reference, no pointer, and no library type.
template <class E> constexpr bool may_be_event() {
    if constexpr (std::is_class_v<E> || std::is_union_v<E> || std::is_enum_v<E>) {
        constexpr auto text = text_of<E>();
        return !text.starts_with("std::") && !text.starts_with("boost::") && !text.starts_with("weft::awaitable<");
    } else return false;
}
template <auto F, class E, bool consumed> constexpr bool leads_on() {
    constexpr bool emits = consumed || may_be_event<E>();
    return check::step<F>::template returns_events<emits>::value && check::event<E>::template emitted_by < F,
           consumed || !emits > ::value;
}
/// True for events that enter the run without a step that emits them.
template <class E> inline constexpr bool is_source = is_start<E> || is_response<E> || is_failure<E> || is_ending<E>;
template <class E> inline constexpr EventRole role = is_stop<E>      ? EventRole::stop
                                                     : is_request<E> ? EventRole::request
                                                     : is_ending<E>  ? EventRole::ending
                                                                     : EventRole::plain;

/// True for events that end a stream or ask a question: a step returns them and never streams them.
template <class E> inline constexpr bool is_of_the_run = is_stop<E> || is_request<E> || requires {
    typename E::ends_run;
};

template <class E> struct QuestionOf { using type = void; };
template <class E>
requires requires { typename E::question; }
struct QuestionOf<E> {
    using type = std::conditional_t<is_response<E>, typename E::question, void>;
};
/// The question that a response declares, or void.
template <class E> using question_of = typename QuestionOf<E>::type;
}
