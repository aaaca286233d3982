// Converts described structs to and from JSON, and makes their JSON Schema. For .cpp files; a header that only declares
// structs includes engine/describe.hpp, which is cheap.
//
//     struct Order { std::string item; int count; std::optional<std::string> note; };
//     BOOST_DESCRIBE_STRUCT(Order, (), (item, count, note))
//     auto text = to_json(order).dump();
//     auto order = from_json<Order>(parse_json(text), "order");    // "order.count: expected an integer, got a string"
//     auto form = schema<Order>();                                   // type, properties, required
// The conversions:
//   bool, integers, doubles   the same; a double that is not finite is refused, an integer out of range too
//   std::string               a string; bytes that are no UTF-8 become U+FFFD on the way out, so dump() never throws
//   described enum            the enumerator's name
//   described struct          an object of its members and those of its described bases; an empty struct is {}
//   vector, Growing<T>        an array; a class derived from Growing too
//   tuple                     an array of as many
//   map with string keys      an object
//   optional<T>               null if empty; the field may be missing when read
//   monostate                 null
//   variant<A, vector<B>>     {"A": ...} or {"B[]": ...}: one key that names the alternative; a monostate is null
//   JsonText, nlohmann::json  any value (engine/json/text.hpp)
//
// Unknown fields are ignored. A missing field is an error unless it is optional<>, or the struct lists it among those
// that keep their initialiser; the schema shows such defaults and does not require them:
//     struct Search { std::string text; int limit = 10;
//                     static constexpr std::string_view optional_fields[] = {"limit"}; };
// A member that the description leaves out is a compile error in a struct that is an aggregate, unless the struct names
// it among those that JSON is to lose:
//     struct Page { std::string text; int width = 0;
//                   static constexpr std::string_view undescribed_fields[] = {"width"}; };
// A const field is written, and ignored when read. Both ways and in schemas, 64 levels of nesting are the most. Every
// failure is Error{bad_json} with the path in it.
#pragma once
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/json/shape_of.hpp"
#include "engine/json/walk.hpp"

namespace weft {
namespace json_detail {
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
/// Paths in error messages start with `root`.
template <class T> nlohmann::json to_json(const T& value, std::string_view root = "") {
    [[maybe_unused]] constexpr auto* checked = &json_detail::demand<T, false>;
    return json_detail::write(json_detail::shape_of<T>, &value, json_detail::Path(root));
}
template <class T> T from_json(const nlohmann::json& json, std::string_view root = "") {
    [[maybe_unused]] constexpr auto* checked = &json_detail::demand<T, true>;
    T value = T();
    json_detail::read(json_detail::shape_of<T>, json, &value, json_detail::Path(root));
    return value;
}
template <class T> nlohmann::json schema() {
    [[maybe_unused]] constexpr auto* checked = &json_detail::demand<T, false>;
    return json_detail::schema(json_detail::shape_of<T>, json_detail::Path(""));
}
}
