// Checks at compile time that a function edits a slot in place, and does not wait.
#pragma once
#include "engine/core/graph/check.hpp"
#include "engine/core/loop/private_access.hpp"
#include <type_traits>
#include <utility>

namespace weft::core {
template <class R, class F, class Argument> std::type_identity<Argument> argument_of(R (F::*)(Argument) const);
template <class R, class F, class Argument> std::type_identity<Argument> argument_of(R (F::*)(Argument));
template <class R, class Argument> std::type_identity<Argument> argument_of(R (*)(Argument));
/// Whether a function that edits a slot S takes it by value, as far as its type shows.
template <class S, class Change> constexpr bool changes_a_copy() {
    const auto is_value = []<class T>(std::type_identity<T>) { return std::is_same_v<std::remove_cv_t<T>, S>; };
    if constexpr (requires { argument_of(&Change::template operator()<S>); })
        return is_value(decltype(argument_of(&Change::template operator()<S>))());
    else if constexpr (requires { argument_of(&Change::operator()); })
        return is_value(decltype(argument_of(&Change::operator()))());
    else if constexpr (requires(Change change) { argument_of(change); })
        return is_value(decltype(argument_of(std::declval<Change>()))());
    else return false;
}
template <class S, class Change> constexpr bool can_edit() {
    if constexpr (std::is_invocable_v<Change, S&>)
        return check::slot<S>::template is_edited_in_place<!changes_a_copy<S, std::remove_cvref_t<Change>>()>::value &&
               check::slot<S>::template is_edited_without_waiting<
                   !is_awaitable<std::invoke_result_t<Change, S&>>>::value;
    else return true;  // the call reports the error
}
}
