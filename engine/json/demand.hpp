// The compiler's sentences about types without a JSON form: for types that are written, read, or stored by a durable
// run.
#pragma once
#include "engine/json/form.hpp"
#include <utility>

namespace weft::json_detail {
template <class T> constexpr void check() {
    static_assert(form<T> != Form::none, "this type has no JSON form: describe it with BOOST_DESCRIBE_STRUCT or "
                                         "BOOST_DESCRIBE_ENUM, or use a type listed in engine/json.hpp");
    static_assert(is_only_a_list<T>(),
                  "a class derived from Growing is an array in JSON, which has no room for further "
                  "members: do not describe it, and put them into a slot of their own");
    static_assert(optional_fields_exist<T>(), "optional_fields names a field that this struct does not have");
    static_assert(bases_are_described<T>, "a base class of this struct has members: describe it too");
    static_assert(is_complete<T>(),
                  "BOOST_DESCRIBE_STRUCT leaves out a member or a base of this struct, and JSON would "
                  "lose it: list it there, or name it in undescribed_fields");
    static_assert(undescribed_are_not_described<T>(),
                  "undescribed_fields names a field that BOOST_DESCRIBE_STRUCT describes: take it out of one of the "
                  "two");
    static_assert(member_names_differ<T>(), "two members of this struct and its bases have the same name, and JSON "
                                            "would lose one of them: rename one");
    static_assert(differ<T>, "two alternatives of this variant have the same name in JSON");
}
/// True if reading could not change a part of T: a const item, alternative or field.
template <class T> constexpr bool has_const_part() {
    constexpr auto f = form<T>;
    if constexpr (f == Form::map) return std::is_const_v<typename T::mapped_type>;
    else if constexpr (f == Form::optional || f == Form::list) return std::is_const_v<typename T::value_type>;
    else if constexpr (f == Form::variant || f == Form::tuple)
        return []<template <class...> class Of, class... A>(std::type_identity<Of<A...>>) {
            return (std::is_const_v<A> || ...);
        }(std::type_identity<T>{});
    else if constexpr (f == Form::object) {
        bool found = false;
        for_each_member<T>([&](auto member) {
            using Type = std::remove_reference_t<decltype(std::declval<T&>().*member.pointer)>;
            found = found || std::is_const_v<Type>;
        });
        return found;
    } else return false;
}
/// Checks T and, by instantiation, all types that T contains. A type without a JSON form is a compile error, which
/// names it. So is a stored type that would not be read back unchanged.
template <class T, bool reads, bool stores = false> void demand() {
    check<T>();
    if constexpr (stores)
        static_assert(!has_const_part<T>(), "durable runs read this type back, and a const part of it (a field, an "
                                            "item, one of a pair<const K, V>) would be left at its default: make it "
                                            "no const");
    if constexpr (reads) static_assert(null_is_clear<T>(), "null would be ambiguous in this optional");
    if constexpr (form<T> == Form::optional || form<T> == Form::list || form<T> == Form::map)
        (void)&demand<ItemOf<T>, reads, stores>;
    else if constexpr (form<T> == Form::variant || form<T> == Form::tuple)
        []<template <class...> class Of, class... A>(std::type_identity<Of<A...>>) {
            ((void)&demand<std::remove_const_t<A>, reads, stores>, ...);
        }(std::type_identity<T>{});
    else if constexpr (form<T> == Form::object)
        for_each_member<T>([](auto member) {
            using Type = std::remove_reference_t<decltype(std::declval<T&>().*member.pointer)>;
            (void)&demand<std::remove_cv_t<Type>, reads && !std::is_const_v<Type>, stores>;
        });
}
}
