// with(...): binds resources and erases a workflow to its Definition. Include it where workflows are bound
// (engine/run.hpp and engine/loop.hpp do), not where they are declared.
#pragma once
#include "engine/core/graph/handlers.hpp"
#include "engine/core/loop/invoke.hpp"
#include <algorithm>

namespace weft {
template <auto... Fn> class Workflow;
}
namespace weft::core {
template <auto> struct ValueTag {};
// --- resources -------------------------------------------------------------------------------------------------------
template <class D, class R> inline constexpr bool fits = std::is_convertible_v<R*, D*>;
template <class D, class R>
inline constexpr bool is_exactly = std::is_same_v<std::remove_const_t<D>, std::remove_const_t<R>>;

template <auto F, class D, class... R> constexpr bool can_choose() {
    constexpr int exact = (0 + ... + int(is_exactly<D, R> && fits<D, R>)), all = (0 + ... + int(fits<D, R>));
    constexpr bool found = all > 0, clear = !found || exact == 1 || (exact == 0 && all == 1);
    return check::resource<D>::template needed_by<F, found>::value &&
           check::resource<D>::template chosen_for<F, clear>::value;
}
template <class D, class... R> void* choose(R&... resources) {  // a derived object serves a base parameter
    D *exact = nullptr, *other = nullptr;
    (
        [&](auto* r) {
            using Given = std::remove_pointer_t<decltype(r)>;
            if constexpr (fits<D, Given>) (is_exactly<D, Given> ? exact : other) = r;
        }(&resources),
        ...);
    return const_cast<std::remove_const_t<D>*>(exact ? exact : other);
}
template <class R, class... D> constexpr bool is_wanted(List<D...>) {
    constexpr bool fit = (fits<D, R> || ...), fit_changed = (fits<D, std::remove_const_t<R>> || ...);
    if constexpr (!fit && fit_changed) return check::resource<R>::template may_be_changed_by_its_step<fit>::value;
    else return check::resource<R>::template is_needed_by_a_step<fit>::value;
}

// --- events ----------------------------------------------------------------------------------------------------------
template <class E> constexpr EventType describe_event() {
    EventType t{
        .name = type_name<E>, .id = type_id<E>, .is_start = is_start<E>, .shape = json_detail::shape_if_any<E>()};
    if constexpr (!std::is_trivially_destructible_v<E>) t.destroy = [](void* p) { static_cast<E*>(p)->~E(); };
    if constexpr (is_stop<E> && std::is_copy_constructible_v<E>)  // else the declaration reports the error
        t.box = [](const void* p) -> Published* { return new Published::Of<E>(*static_cast<const E*>(p)); };
    constexpr bool comes_from_outside = is_start<E> || is_response<E> || is_ending<E>;
    if constexpr (comes_from_outside && std::is_move_constructible_v<E>) t.put = &put_event<E>;
    if constexpr (is_failure<E>) t.complete = [](void* p) { add_cause(*static_cast<E*>(p)); };
    if constexpr (is_request<E>)
        t.publish = [](RunCore& run, void* p, QuestionId question) {
            run.tell(PublishedBox(new Published::Of<E>(std::move(*static_cast<E*>(p)), question)));
        };
    return t;
}
template <class W, class E> constexpr TypeIndex answered_by() {
    using Question = question_of<E>;
    if constexpr (!is_response<E>) return no_type;
    else if constexpr (is_signal<E>) return signals;
    else if constexpr (std::is_void_v<Question>) return any_question;
    else return TypeIndex(index_of<Question, typename W::Events>);
}
template <class W, class E> void add_event(Definition& d) {
    static_assert(check::event<E>::template is_aligned_to_8_bytes<alignof(E) <= 8>::value);
    EventPlan plan{role<E>, std::uint16_t(d.plan.consumers.size())};
    constexpr StepSet consumers = W::template consumers<E>;
    for (std::size_t step = 0; step < 64; ++step)
        if (consumers >> step & 1) {
            d.plan.consumers.push_back({StepIndex(step), W::template part<E>(step)});
            ++plan.count;
        }
    if constexpr (is_failure<E>) {  // each failure goes to one handler, however many accept its type
        plan.count = 1;
    } else if (role<E> == EventRole::plain && plan.count == 1) {
        const auto last = d.plan.consumers.back().step;
        if (!((W::topology.collects | W::topology.joins) >> last & 1)) plan.only = last;
    }
    if constexpr (is_request<E>) plan.lane = d.plan.questions++;  // after the lanes of the steps, see define_steps
    if (plan.role == EventRole::ending) d.ending = TypeIndex(d.plan.events.size());
    plan.answers = answered_by<W, E>();
    plan.paired = W::template paired<E>;
    d.plan.events.push_back(plan);
    d.events.push_back(describe_event<E>());
    d.cell_size = std::max(d.cell_size, std::uint32_t((8 + sizeof(E) + 7) / 8 * 8));  // includes the cell's header
}

// --- steps -----------------------------------------------------------------------------------------------------------
template <auto F, bool copies, class W> constexpr void set_call(StepType& t) {
    if constexpr (Signature<decltype(F)>::waits) {
        t.start = &start_step<F, copies, W>;
        t.collect = &collect_step<F, typename W::Events>;
    } else t.call = &call_step<F, copies, W>;
}
// Whether events can be copied where needed: events of several steps, and events kept for a failure handler.
template <class W, class E, bool kept> constexpr bool can_copy_event() {
    constexpr bool copies = std::is_copy_constructible_v<E>;
    constexpr bool shared_well = !W::template shared<E> || copies, kept_well = !kept || copies;
    return check::event<E>::template has_several_consumers<shared_well>::value &&
           check::event<E>::template may_be_kept_for_its_handler<kept_well>::value;
}
template <class W, auto F> constexpr bool can_copy() {
    using S = Signature<decltype(F)>;
    constexpr bool kept = W::template keeps_failed<typename S::input>;
    return []<class... E>(List<E...>) { return (can_copy_event<W, E, kept>() && ...); }(typename S::events{});
}
template <class W, auto F> StepType describe_step(std::string_view name, const Policy& policy) {
    using S = Signature<decltype(F)>;
    StepType t{};
    t.name = name;
    t.policy = policy;
    // An attempt gets copies if a failure handler keeps its events. Copies are also made for a step with retries, which
    // is a policy, and for an event with several consumers.
    constexpr bool copies = W::template keeps_failed<typename S::input>;
    set_call<F, copies, W>(t);
    if constexpr (!copies && all_copyable(typename S::events{}))
        if (policy.retry.attempts > 1) set_call<F, true, W>(t);
    return t;
}
// The function that puts a failure of step F into a cell for one of its Handlers, chosen by number.
template <class W, auto F, auto... Handlers>
Emitted (*put_failure_for(std::size_t handler))(StepCall&, StepFailedEvent&&) {
    Emitted (*found)(StepCall&, StepFailedEvent &&) = nullptr;
    std::size_t h = 0;
    const auto look = [&]<auto H>(ValueTag<H>) {
        using E = event_of<Signature<decltype(H)>>;
        using Input = typename Signature<decltype(F)>::input;
        if constexpr (std::is_same_v<E, StepFailedEvent> || std::is_same_v<E, FailedEvent<Input>>)
            if (h == handler) found = &put_failure<F, E, W>;
        ++h;
    };
    (look(ValueTag<Handlers>{}), ...);
    return found;
}
template <auto F> void add_edges(Definition& d, std::string_view step, const Policy& p) {
    using S = Signature<decltype(F)>;
    const auto add = [&]<class... E>(List<E...>, [[maybe_unused]] const Edge& like) {
        (d.edges.push_back({like.step, type_name<E>, like.emits, like.many, like.joins, like.first}), ...);
    };
    add(typename S::events{}, {step, {}, false, S::collects, S::joins, p.first});
    add(typename S::single_outputs{}, {step, {}, true, false});
    add(typename S::branch_events{}, {step, {}, true, true});
}
template <auto... Fn> void add_failure_edges(Definition& d, const Workflow<Fn...>& w) {
    constexpr std::array handled{type_name<event_of<Signature<decltype(Fn)>>>...};
    constexpr std::array general{std::is_same_v<event_of<Signature<decltype(Fn)>>, StepFailedEvent>...};
    for (std::size_t s = 0; s < sizeof...(Fn); ++s) {
        const auto h = w.handlers[s];
        if (h == no_step || (general[h] && w.policies[h].of.size == 0)) continue;
        d.edges.push_back({.step = w.name_of(s), .event = handled[h], .emits = true, .many = false, .fails = true});
    }
}
template <class W, auto F, auto... Fn, class... D, class... R>
void add_step(Definition& d, const Workflow<Fn...>& w, List<D...>, R&... given) {
    using S = Signature<decltype(F)>;
    if constexpr ((can_choose<F, D, R...>() && ...) && can_copy<W, F>()) {
        const auto s = d.steps.size();
        const Policy& p = w.policies[s];
        d.plan.steps.push_back({.workers = p.workers,
                                .takes = S::joins      ? Takes::parts
                                         : p.first     ? Takes::first
                                         : S::collects ? Takes::all
                                                       : Takes::one,
                                .recoveries = p.recoveries,
                                .first_fan = std::uint16_t(W::topology.first_fan[s]),
                                .parts = std::uint16_t(S::parts),
                                .first = p.first,
                                .handler = w.handlers[s]});
        StepType t = describe_step<W, F>(W::name_of(s), p);
        if (w.handlers[s] != no_step) t.put_failure = put_failure_for<W, F, Fn...>(w.handlers[s]);
        t.timed = p.retry.attempts > 1 || p.timeout.count() > 0 || t.put_failure;
        t.first_resource = std::uint16_t(d.resources.size());
        (d.resources.push_back(choose<D>(given...)), ...);
        d.steps.push_back(t);
        add_edges<F>(d, t.name, p);
    }
}
template <auto... Fn, class... R>
std::shared_ptr<const Definition> define_steps(const Workflow<Fn...>& w, R&... given) {
    using W = Workflow<Fn...>;
    using Needed = unite<typename Signature<decltype(Fn)>::resources...>;
    static_assert((is_wanted<R>(Needed{}) && ...));
    auto d = std::make_shared<Definition>();
    d->name = w.name;
    d->type = type_id<W>;
    d->most_runs = w.most_runs;
    [&]<class... E>(List<E...>) { (add_event<W, E>(*d), ...); }(typename W::Events{});
    bool handled = false;  // has handlers: a branch may then reach any collector and join
    for (auto h : w.handlers) handled |= h != no_step;
    for (auto& reach : W::reaches)  // the last element is a filler
        d->plan.fan_outs.push_back(
            {reach.collectors,
             (reach.inside & W::topology.joins) != 0 || (handled && (W::topology.joins | W::topology.collects) != 0)});
    d->plan.fan_outs.pop_back();
    for (auto& event : d->plan.events) event.lane += std::uint16_t(sizeof...(Fn));
    (add_step<W, Fn>(*d, w, typename Signature<decltype(Fn)>::resources{}, given...), ...);
    add_failure_edges(*d, w);
    for (auto& p : w.policies) d->plan.has_first |= p.first > 0;
    for (auto& t : d->steps) t.watched = t.timed || d->cancels_branches();
    return d;
}
/// A definition for drawings only: it needs no resources and cannot run.
template <auto... Fn> Definition outline(const Workflow<Fn...>& w) {
    using W = Workflow<Fn...>;
    Definition d;
    d.name = w.name;
    [&]<class... E>(List<E...>) { (add_event<W, E>(d), ...); }(typename W::Events{});
    std::size_t s = 0;
    (
        [&] {
            add_edges<Fn>(d, W::name_of(s), w.policies[s]);
            ++s;
        }(),
        ...);
    add_failure_edges(d, w);
    return d;
}
struct Definitions {
    template <class W, class... R> static std::shared_ptr<const Definition> define(const W& w, R&&... resources) {
        if constexpr ((check::resource<std::remove_reference_t<R>>::template outlives_the_runs<
                           std::is_lvalue_reference_v<R>>::value &&
                       ...))
            return define_steps(w, resources...);
        else return nullptr;
    }
    // Defines a workflow without resources once. Two workflows of one type may differ in name and policies.
    template <class W> static std::shared_ptr<const Definition> define_once(const W& w) {
        static const auto& first = *new const std::pair(w, define(w));  // a static engine may outlive other statics
        const bool same = first.first.name == w.name && first.first.policies == w.policies &&
                          first.first.most_runs == w.most_runs;
        if (!same) return define(w);
        return {std::shared_ptr<void>(), first.second.get()};  // a count of owners would be shared by all threads
    }
};
}
