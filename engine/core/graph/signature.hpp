// Reads a step's type: the accepted events, the emitted events, the resources. Parameters for events are values, the
// first one may be a const reference; parameters for resources are references.
#pragma once
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

namespace weft {
class Context;
template <class T> class awaitable;
template <class Input> struct FailedEvent;
}
namespace weft::core {
template <class... T> struct List { static constexpr std::size_t size = sizeof...(T); };

template <class T, class L> inline constexpr bool contains = false;
template <class T, class... A> inline constexpr bool contains<T, List<A...>> = (std::is_same_v<T, A> || ...);

template <class T, class L> inline constexpr std::size_t index_of = 0;
template <class T, class First, class... Rest> inline constexpr std::size_t index_of<T, List<First, Rest...>> =
    std::is_same_v<T, First> ? 0 : 1 + index_of<T, List<Rest...>>;

template <class L, class... R> struct Unite { using type = L; };
template <class... A, class... R> struct Unite<List<A...>, List<>, R...> : Unite<List<A...>, R...> {};
template <class... A, class T, class... B, class... R> struct Unite<List<A...>, List<T, B...>, R...> :
    Unite<std::conditional_t<contains<T, List<A...>>, List<A...>, List<A..., T>>, List<B...>, R...> {};
template <class... L> using unite = typename Unite<List<>, L...>::type;

template <template <class> class Is, class L> struct Only;
template <template <class> class Is, class... E> struct Only<Is, List<E...>> {
    using type = unite<std::conditional_t<Is<E>::value, List<E>, List<>>...>;
};

// A step emits single events, which stay in the step's branch, or one of its return type's vectors, whose items are the
// branches of a fan-out.
template <class R> struct Emits {
    using single_outputs = List<R>;
    using vector_outputs = List<>;
    static constexpr bool nested = false;
};
template <> struct Emits<void> {
    using single_outputs = List<>;
    using vector_outputs = List<>;
    static constexpr bool nested = false;
};
template <> struct Emits<std::monostate> : Emits<void> {};
template <class R> struct Emits<std::optional<R>> : Emits<R> {};
template <class R> struct Emits<std::vector<R>> {
    using single_outputs = List<>;
    using vector_outputs = List<std::vector<R>>;
    static constexpr bool nested = Emits<R>::vector_outputs::size > 0;  // a branch cannot be a fan-out itself
};
template <class... R> struct Emits<std::variant<R...>> {
    using single_outputs = unite<typename Emits<R>::single_outputs...>;
    using vector_outputs = unite<typename Emits<R>::vector_outputs...>;
    static constexpr bool nested = (Emits<R>::nested || ...);
};
template <class Fan> using branches = typename Emits<typename Fan::value_type>::single_outputs;
template <class Fans> struct BranchEvents;
template <class... Fan> struct BranchEvents<List<Fan...>> { using type = unite<branches<Fan>...>; };

struct NotAStep {};
template <class L> struct Head { using type = NotAStep; };
template <class T, class... R> struct Head<List<T, R...>> { using type = T; };

// The events that a step's parameters accept. `events` are the types routed to the step; `Input` is the argument as
// FailedEvent names it.
template <class... P> struct Accepts {  // several: a join, with one event of each type
    using events = List<P...>;
    using input = std::tuple<P...>;
    using item = void;
    static constexpr bool collects = false, joins = true;
};
template <class E> struct Accepts<E> {
    using events = List<E>;
    using input = E;
    using item = void;
    static constexpr bool collects = false, joins = false;
};
template <class E> struct Accepts<std::vector<E>> {
    using events = List<E>;
    using input = std::vector<E>;
    using item = E;
    static constexpr bool collects = true, joins = false;
};
template <class... E> struct Accepts<std::vector<std::variant<E...>>> {
    using events = List<E...>;
    using input = std::vector<std::variant<E...>>;
    using item = std::variant<E...>;
    static constexpr bool collects = true, joins = false;
};

// The parameters after the first event: more events, by value, then resources, by reference.
template <class Events, class Resources, class... A> struct Split {
    using events = Events;
    using resources = Resources;
    static constexpr bool in_order = true;
};
struct OutOfOrder {
    using events = List<NotAStep>;
    using resources = List<>;
    static constexpr bool in_order = false;
};
template <class... E, class... D, class A, class... Rest> struct Split<List<E...>, List<D...>, A, Rest...> :
    std::conditional_t<std::is_lvalue_reference_v<A>,
                       Split<List<E...>, List<D..., std::remove_reference_t<A>>, Rest...>,
                       std::conditional_t<sizeof...(D) == 0 && !std::is_reference_v<A>,
                                          Split<List<E..., A>, List<>, Rest...>, OutOfOrder>> {};
template <class Events> struct AcceptsAll;
template <class... E> struct AcceptsAll<List<E...>> { using type = Accepts<E...>; };
template <class... E> constexpr bool each_once(List<E...> all) {
    const auto times = []<class T, class... A>(List<T>, List<A...>) { return (0 + ... + int(std::is_same_v<T, A>)); };
    return ((times(List<E>{}, all) == 1) && ...);
}

template <class R> struct StepResult {
    using type = R;
    static constexpr bool waits = false;
};
template <class R> struct StepResult<awaitable<R>> {
    using type = R;
    static constexpr bool waits = true;
};

template <class F> struct Signature {  // fallback with empty members, so that one mistake gives one error
    static constexpr bool is_step = false, waits = false, collects = false, joins = false, nested = false;
    static constexpr bool by_reference = false, changes_event = false, distinct = true;
    static constexpr std::size_t parts = 1;
    using events = List<NotAStep>;
    using input = NotAStep;
    using item = void;
    using result = void;
    using single_outputs = List<>;
    using vector_outputs = List<>;
    using branch_events = List<>;
    using resources = List<>;
};
template <class R, class P, class... A> struct Signature<R (*)(Context&, P, A...)> {
private:
    using All = Split<List<std::remove_cvref_t<P>>, List<>, A...>;
    using Accepted = typename AcceptsAll<typename All::events>::type;

public:
    static constexpr bool is_step = All::in_order;
    static constexpr bool waits = StepResult<R>::waits;
    using result = typename StepResult<R>::type;
    using events = typename Accepted::events;
    using input = typename Accepted::input;
    using item = typename Accepted::item;
    static constexpr bool collects = Accepted::collects, joins = Accepted::joins;
    static constexpr bool distinct = each_once(events{});
    static constexpr std::size_t parts = joins ? events::size : 1;  // the step runs when each part has an event
    static constexpr bool by_reference = std::is_reference_v<P>;
    static constexpr bool changes_event = by_reference && !std::is_const_v<std::remove_reference_t<P>>;
    static constexpr bool nested = Emits<result>::nested;
    using single_outputs = typename Emits<result>::single_outputs;
    using vector_outputs = typename Emits<result>::vector_outputs;
    using branch_events = typename BranchEvents<vector_outputs>::type;
    using resources = typename All::resources;
};
template <class R, class... A> struct Signature<R (*)(A...) noexcept> : Signature<R (*)(A...)> {};

/// The only or first event that a step accepts.
template <class S> using event_of = typename Head<typename S::events>::type;
/// Input for FailedEvent<Input>; void for all other types.
template <class E> struct FailedInput { using type = void; };
template <class Input> struct FailedInput<FailedEvent<Input>> { using type = Input; };
template <class E> using failed_input = typename FailedInput<E>::type;
}
