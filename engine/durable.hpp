// Runs that outlive their process: the store has each tick before the engine acts on it.
//
//     SqliteStore store("weft.db");                             // engine/store/sqlite_store.hpp
//     Engine engine({.store = &store});
//     auto stored = durable(refund);
//     auto run = engine.start(stored, request, {.key = "A-17"});  // the same key: the same run
//     auto same = engine.resume(stored, "refund:A-17");         // in another process, months later
//     engine.recover(stored, agent);                            // all unfinished runs
//
// A step that was running when its process ended begins again from unedited state, with the same ctx.key(); finished
// steps never run again. Events and slots are stored as JSON, so each needs a description (engine/describe.hpp). A type
// without a description is a compile error that names it: an event in durable(), a slot where a file that includes this
// header edits it. Elsewhere an edit in a stored run throws Error{bad_json}. A slot type with `static constexpr bool
// memory_only = true;` is not stored. Without a store such a run behaves like any other.
//
// The engine finds stored slots by their names among the types that code of the process uses. The stored name of a type
// has its namespace if another type of the process has the same name. durable<Claim>(refund) lists a type that no step
// uses any more, or one of two types whose namespaces are the same, such as unnamed ones of two files.
#pragma once
#include "engine/core/loop/define.hpp"
#include "engine/core/stored_plan.hpp"
#include "engine/json.hpp"
#include "engine/workflow.hpp"

namespace weft {
/// A bound workflow whose runs may be stored.
template <class Workflow> struct Durable : Bound<Workflow> {};

namespace core {
template <class T> constexpr bool can_be_stored() {
    constexpr bool has_form = json_detail::form<T> != json_detail::Form::none;
    if constexpr (check::stored<T>::template has_a_description<has_form>::value) {
        [[maybe_unused]] constexpr auto* checked = &json_detail::demand<T, true, true>;
        return check::stored<T>::template has_a_default_constructor<std::is_default_constructible_v<T>>::value;
    }
    return false;
}
template <class... E> constexpr bool can_all_be_stored(List<E...>) { return (can_be_stored<E>() && ...); }
template <class S> constexpr bool can_be_stored_slot() {
    constexpr bool has_form = json_detail::form<S> != json_detail::Form::none;
    if constexpr (is_memory_only<S>) return true;
    else if constexpr (check::slot<S>::template is_described_or_memory_only<has_form>::value) return can_be_stored<S>();
    else return false;
}
template <class S> struct StorableSlot { static_assert((can_be_stored_slot<S>(), true)); };
template <class S, class... Slot> constexpr bool is_stored_apart() {
    constexpr bool apart = ((std::is_same_v<S, Slot> || slot_name<S>.view() != slot_name<Slot>.view()) && ...);
    return check::slot<S>::template has_a_stored_name_of_its_own<apart>::value;
}
}
template <class... Slot, class W> Durable<W> durable(const Bound<W>& workflow) {
    constexpr bool can = core::can_all_be_stored(typename W::Events{}) && (core::can_be_stored<Slot>() && ...) &&
                         (core::is_stored_apart<Slot, Slot...>() && ...);
    auto definition = std::make_shared<Definition>(*workflow.definition);
    if constexpr (can) definition->durable = core::durable_form(*definition, {&core::slot_type<Slot>...});
    return {{std::move(definition)}};
}
template <class... Slot, auto... Fn> auto durable(const Workflow<Fn...>& workflow) {
    return durable<Slot...>(Bound<Workflow<Fn...>>(workflow));
}
}
