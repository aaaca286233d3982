// Which form a C++ type has, by its description: what its table (engine/json_shape_of.hpp) is made from. Includes no
// JSON library.
#pragma once
#include "engine/describe.hpp"
#include "engine/growing.hpp"
#include "engine/json_shape.hpp"
#include "engine/json_text.hpp"
#include "engine/name.hpp"
#include <array>
#include <boost/describe/bases.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <concepts>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <variant>
#include <vector>

namespace weft {
/// A struct with a BOOST_DESCRIBE_STRUCT line.
template <class T>
concept Described = boost::describe::has_describe_members<T>::value && !std::is_union_v<T>;

namespace json_detail {
template <class T> inline constexpr bool is_optional = false;
template <class T> inline constexpr bool is_optional<std::optional<T>> = true;
template <class T> inline constexpr bool is_variant = false;
template <class... T> inline constexpr bool is_variant<std::variant<T...>> = true;
template <class T> inline constexpr bool is_vector = false;
template <class T, class A> inline constexpr bool is_vector<std::vector<T, A>> = true;
template <class T> inline constexpr bool is_character = std::same_as<T, char> || std::same_as<T, wchar_t> ||
                                                        std::same_as<T, char8_t> || std::same_as<T, char16_t> ||
                                                        std::same_as<T, char32_t>;
template <class T>
concept Grows = requires {
    typename T::value_type;
    requires std::is_base_of_v<Growing<typename T::value_type>, T>;
};
template <class T>
concept StringMap = requires {
    typename T::mapped_type;
    requires std::same_as<typename T::key_type, std::string>;
    requires std::same_as<typename T::value_type, std::pair<const std::string, typename T::mapped_type>>;
};

template <class T> constexpr Form form_of() {
    if constexpr (std::same_as<T, bool>) return Form::boolean;
    else if constexpr (is_character<T>) return Form::none;
    else if constexpr (std::integral<T>) return Form::integer;
    else if constexpr (std::floating_point<T>) return Form::number;
    else if constexpr (std::same_as<T, std::string>) return Form::string;
    else if constexpr (std::same_as<T, JsonText>) return Form::text;
    else if constexpr (std::same_as<T, nlohmann::json>) return Form::any;
    else if constexpr (std::same_as<T, std::monostate>) return Form::null;
    else if constexpr (is_optional<T>) return Form::optional;
    else if constexpr (is_vector<T> || Grows<T>) return Form::list;
    else if constexpr (StringMap<T>) return Form::map;
    else if constexpr (is_variant<T>) return Form::variant;
    else if constexpr (boost::describe::has_describe_enumerators<T>::value) return Form::names;
    else if constexpr (Described<T> || std::is_empty_v<T>) return Form::object;
    else return Form::none;
}
template <class T> inline constexpr Form form = form_of<T>();

template <class T> constexpr bool may_be_null() {
    if constexpr (is_optional<T> || std::same_as<T, std::monostate>) return true;
    else if constexpr (is_variant<T>) return boost::mp11::mp_contains<T, std::monostate>::value;
    else return false;
}
// Whether two alternatives have one name; without strings, which clang 14 cannot compare at compile time.
template <class A, class B> constexpr bool alike() {
    constexpr auto f = form<A>, g = form<B>;
    if constexpr (std::same_as<A, B>) return true;
    else if constexpr ((f == Form::text && g == Form::any) || (f == Form::any && g == Form::text)) return true;
    else if constexpr (f != g || f == Form::variant || is_vector<A> != is_vector<B>) return false;
    else if constexpr (f == Form::optional || is_vector<A>)
        return alike<typename A::value_type, typename B::value_type>();
    else if constexpr (f == Form::map) return alike<typename A::mapped_type, typename B::mapped_type>();
    else if constexpr (f == Form::object || f == Form::names || f == Form::list) return type_name<A> == type_name<B>;
    else return true;
}
template <class T> inline constexpr bool differ = true;
template <class First, class... Rest> inline constexpr bool differ<std::variant<First, Rest...>> =
    (!alike<First, Rest>() && ...) && differ<std::variant<Rest...>>;
template <> inline constexpr bool differ<std::variant<>> = true;

/// Calls each(descriptor) for the bases' members, then for the struct's own: it has a name and a pointer.
template <class T, class Each> constexpr void for_each_member(Each&& each) {
    namespace describe = boost::describe;
    if constexpr (Described<T>) {
        boost::mp11::mp_for_each<describe::describe_bases<T, describe::mod_any_access>>(
            [&](auto base) { for_each_member<typename decltype(base)::type>(each); });
        boost::mp11::mp_for_each<describe::describe_members<T, describe::mod_any_access>>(each);
    }
}
template <class T> struct BasesAreDescribed : std::true_type {};
template <class Base> using is_described_base =
    std::bool_constant<(Described<typename Base::type> ||
                        std::is_empty_v<typename Base::type>)&&BasesAreDescribed<typename Base::type>::value>;
template <Described T> struct BasesAreDescribed<T> :
    boost::mp11::mp_all_of<boost::describe::describe_bases<T, boost::describe::mod_any_access>, is_described_base> {};
template <class T> inline constexpr bool bases_are_described = BasesAreDescribed<T>::value;

/// Whether the struct says that this field keeps its initialiser when it is missing.
template <class T> constexpr bool keeps_default(std::string_view field) {
    if constexpr (requires { T::optional_fields; })
        for (std::string_view name : T::optional_fields)
            if (name == field) return true;
    return false;
}
template <class T> constexpr bool optional_fields_exist() {
    if constexpr (requires { T::optional_fields; })
        for (std::string_view name : T::optional_fields) {
            bool found = false;
            for_each_member<T>([&](auto member) { found = found || std::string_view(member.name) == name; });
            if (!found) return false;
        }
    return true;
}
template <class T> constexpr bool null_is_clear() {
    if constexpr (is_optional<T>) return !may_be_null<typename T::value_type>();
    else return true;
}
template <class T> constexpr bool is_sound() {
    constexpr bool list_is_plain = !Grows<T> || !Described<T>;
    return list_is_plain && bases_are_described<T> && optional_fields_exist<T>() && differ<T>;
}
}
}
