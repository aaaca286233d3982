// The next start event of Context::begin_again(), or a function that makes it, as a staged slot: a failed attempt drops
// it with its edits.
#pragma once
#include "engine/core/data/published.hpp"
#include "engine/core/data/slots.hpp"
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace weft::core {
struct NextStart {
    static constexpr bool memory_only = true;
    std::shared_ptr<Published> event;                              // null until `make` has made it
    std::function<std::shared_ptr<Published>(const Slots&)> make;  // empty: the event was given
    const PublishedType* type = nullptr;                           // the event's
};
template <class E> std::shared_ptr<Published> share_event(E event) {
    return {new Published::Of<E>(std::move(event)), DestroyPublished()};
}
/// An absent slot reads as default.
template <class S> const S& slot_in(const Slots& slots) {
    static const S absent{};
    auto* node = slots.find(&slot_type<S>);
    return node ? *static_cast<const S*>(node->value()) : absent;
}
/// A function object that makes a start event from slots.
template <class Call> struct StartMaker { using Made = void; };
template <class E, class F, class... S> struct StartMaker<E (F::*)(S...) const> {
    using Made = std::remove_cvref_t<E>;
    static E make(const F& from, const Slots& slots) { return from(slot_in<std::remove_cvref_t<S>>(slots)...); }
};
template <class E, class F, class... S> struct StartMaker<E (F::*)(S...) const noexcept> :
    StartMaker<E (F::*)(S...) const> {};
template <class Next> constexpr auto start_of() {
    if constexpr (requires { &Next::operator(); }) return StartMaker<decltype(&Next::operator())>{};
    else return std::type_identity<Next>{};
}
template <class Next> void stage_start(Slots& staged, Next next) {
    using Of = decltype(start_of<Next>());
    NextStart staging;
    if constexpr (requires { typename Of::Made; }) {
        using E = typename Of::Made;
        static_assert(check::event<E>::template is_made_by_a_function<is_start<E>>::value);
        staging.type = &Published::Of<E>::of_type;
        staging.make = [next = std::move(next)](const Slots& slots) { return share_event(Of::make(next, slots)); };
    } else {
        static_assert(check::event<Next>::template begins_a_run_again<is_start<Next>>::value);
        staging.type = &Published::Of<Next>::of_type;
        staging.event = share_event(std::move(next));
    }
    constexpr auto* type = &slot_type<NextStart>;
    auto* node = staged.find(type);
    if (!node) node = staged.add_copy(*type, nullptr, 0);
    *static_cast<NextStart*>(node->value()) = std::move(staging);
}
/// Null: no event of this type is staged. A function makes it anew, and it is valid until the next call.
template <class E> const E* staged_start(const Slots& staged, const Slots& slots) {
    auto* node = staged.find(&slot_type<NextStart>);
    auto* next = node ? static_cast<NextStart*>(node->value()) : nullptr;
    if (!next || next->type->id != type_id<E>) return nullptr;
    if (next->make) next->event = next->make(slots);
    return static_cast<const E*>(next->type->event(next->event.get()));
}
}
