// The sentences of the compiler about types that JSON cannot hold: for what is written or read by its type, and for
// what a durable run stores.
#pragma once
#include "engine/json/form.hpp"
#include <utility>

namespace weft::json_detail {
template <class T> constexpr void check() {
    static_assert(form<T> != Form::none, "this type has no JSON form: describe it with BOOST_DESCRIBE_STRUCT or "
                                         "BOOST_DESCRIBE_ENUM, or use a type listed in engine/json.hpp");
    static_assert(!(Grows<T> && Described<T>), "a class derived from Growing is an array in JSON: do not describe it");
    static_assert(optional_fields_exist<T>(), "optional_fields names a field that this struct does not have");
    static_assert(bases_are_described<T>, "a base class of this struct has members: describe it too");
    static_assert(is_complete<T>(),
                  "BOOST_DESCRIBE_STRUCT leaves out a member or a base of this struct, and JSON would "
                  "lose it: list it there, or name it in undescribed_fields");
    static_assert(differ<T>, "two alternatives of this variant have the same name in JSON");
}
/// Instantiated for a type, it is for all that the type contains: what has no JSON form is a compile error, which names
/// it.
template <class T, bool reads> void demand() {
    check<T>();
    if constexpr (reads) static_assert(null_is_clear<T>(), "null would be ambiguous in this optional");
    if constexpr (form<T> == Form::optional || form<T> == Form::list || form<T> == Form::map)
        (void)&demand<ItemOf<T>, reads>;
    else if constexpr (form<T> == Form::variant || form<T> == Form::tuple)
        []<template <class...> class Of, class... A>(std::type_identity<Of<A...>>) {
            ((void)&demand<std::remove_const_t<A>, reads>, ...);
        }(std::type_identity<T>{});
    else if constexpr (form<T> == Form::object)
        for_each_member<T>([](auto member) {
            using Type = std::remove_reference_t<decltype(std::declval<T&>().*member.pointer)>;
            (void)&demand<std::remove_cv_t<Type>, reads && !std::is_const_v<Type>>;
        });
}
}
