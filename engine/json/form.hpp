// The form of a C++ type, by its description: the input of its table (engine/json/shape_of.hpp). Includes no JSON
// library.
#pragma once
#include "engine/describe.hpp"
#include "engine/growing.hpp"
#include "engine/json/shape.hpp"
#include "engine/json/text.hpp"
#include "engine/json/undescribed.hpp"
#include "engine/text/name.hpp"
#include <array>
#include <boost/describe/bases.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <chrono>
#include <concepts>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <tuple>
#include <utility>
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
template <class T> inline constexpr bool is_tuple = false;
template <class... T> inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B> inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T> inline constexpr bool is_array = false;
template <class T, std::size_t n> inline constexpr bool is_array<std::array<T, n>> = true;
template <class T> inline constexpr std::size_t array_size = std::size_t(-1);
template <class T, std::size_t n> inline constexpr std::size_t array_size<std::array<T, n>> = n;
template <class T> inline constexpr bool is_duration = false;
template <class T, class Period> inline constexpr bool is_duration<std::chrono::duration<T, Period>> = true;
template <class T> inline constexpr bool is_time = false;
template <class T, std::intmax_t num, std::intmax_t den> inline constexpr bool
    is_time<std::chrono::time_point<std::chrono::system_clock, std::chrono::duration<T, std::ratio<num, den>>>> =
        std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, bool> &&
        (den == 1 || (num == 1 && 1'000'000'000 % den == 0));
template <class T> inline constexpr bool is_character = std::same_as<T, char> || std::same_as<T, wchar_t> ||
                                                        std::same_as<T, char8_t> || std::same_as<T, char16_t> ||
                                                        std::same_as<T, char32_t>;
/// A std::deque or std::list, without its header. Other such containers may have a capacity, which JSON would lose.
template <class T>
concept GrowsAtBothEnds = !Described<T> && core::text_of<T>().starts_with("std::") &&
                          requires(T & all, typename T::value_type item) {
    all.push_back(std::move(item));
    all.pop_front();
    all.clear();
    all.begin();
};
template <class T> inline constexpr bool is_deque = false;
template <template <class, class> class Of, class T, class A>
inline constexpr bool is_deque<Of<T, A>> = GrowsAtBothEnds<Of<T, A>>;
/// True if the type alone determines equality and order of the keys. An order that is a value, such as a function
/// pointer, has no form.
template <class T> constexpr bool tells_keys_by_type() {
    if constexpr (requires { typename T::key_compare; }) return std::is_empty_v<typename T::key_compare>;
    else if constexpr (requires {
                           typename T::hasher;
                           typename T::key_equal;
                       })
        return std::is_empty_v<typename T::hasher> && std::is_empty_v<typename T::key_equal>;
    else return true;
}
/// A set, ordered or not, but not a multiset.
template <class T>
concept HoldsEachOnce = !Described<T> && tells_keys_by_type<T>() && requires(T & all, typename T::value_type item) {
    requires std::same_as<typename T::key_type, typename T::value_type>;
    { all.insert(std::move(item)).second } -> std::convertible_to<bool>;
    all.clear();
    all.begin();
};
template <class T> inline constexpr bool is_set = false;
template <template <class, class, class> class Of, class T, class Less, class A>
inline constexpr bool is_set<Of<T, Less, A>> = HoldsEachOnce<Of<T, Less, A>>;
template <template <class, class, class, class> class Of, class T, class Hash, class Equal, class A>
inline constexpr bool is_set<Of<T, Hash, Equal, A>> = HoldsEachOnce<Of<T, Hash, Equal, A>>;
template <class T> inline constexpr bool is_sequence = is_vector<T> || is_deque<T> || is_set<T>;
template <class T>
concept Grows = requires {
    typename T::value_type;
    requires std::is_base_of_v<Growing<typename T::value_type>, T>;
};
/// True if a class derived from Growing has no members of its own, which an array could not hold.
template <class T> constexpr bool is_only_a_list() {
    if constexpr (Grows<T>) return !Described<T> && sizeof(T) == sizeof(Growing<typename T::value_type>);
    else return true;
}
template <class T>
concept StringMap = tells_keys_by_type<T>() && requires(const T& map) {
    typename T::mapped_type;
    requires std::same_as<typename T::key_type, std::string>;
    requires std::same_as<typename T::value_type, std::pair<const std::string, typename T::mapped_type>>;
    map.at(std::string());  // a multimap lacks at(), and would lose values in JSON
};

template <class T> constexpr Form form_of() {
    if constexpr (std::same_as<T, bool>) return Form::boolean;
    else if constexpr (is_character<T>) return Form::none;
    // A compiler's own types, such as __int128 and __float128, have no form.
    else if constexpr (std::integral<T>) return sizeof(T) <= 8 ? Form::integer : Form::none;
    else if constexpr (std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, long double>)
        return Form::number;
    else if constexpr (std::same_as<T, std::string>) return Form::string;
    else if constexpr (std::same_as<T, JsonText>) return Form::text;
    else if constexpr (std::same_as<T, nlohmann::json>) return Form::any;
    else if constexpr (std::same_as<T, std::monostate>) return Form::null;
    else if constexpr (is_optional<T>) return Form::optional;
    else if constexpr (is_sequence<T> || is_array<T> || Grows<T>) return Form::list;
    else if constexpr (StringMap<T>) return Form::map;
    else if constexpr (is_variant<T>) return Form::variant;
    else if constexpr (is_tuple<T>) return Form::tuple;
    else if constexpr (is_duration<T>) {
        constexpr auto count = form_of<typename T::rep>();
        return count == Form::integer || count == Form::number ? count : Form::none;
    } else if constexpr (is_time<T>) return Form::time;
    else if constexpr (boost::describe::has_describe_enumerators<T>::value)
        return sizeof(T) <= 8 ? Form::names : Form::none;
    else if constexpr (Described<T> || std::is_empty_v<T>) return Form::object;
    else return Form::none;
}
template <class T> inline constexpr Form form = form_of<T>();

/// The item type of an optional, a list or a map, without const, which does not change the form.
template <class T> constexpr auto item_of() {
    if constexpr (form<T> == Form::map) return std::type_identity<std::remove_const_t<typename T::mapped_type>>{};
    else return std::type_identity<std::remove_const_t<typename T::value_type>>{};
}
template <class T> using ItemOf = typename decltype(item_of<T>())::type;
template <class T> constexpr bool may_be_null() {
    if constexpr (is_optional<T> || std::same_as<T, std::monostate>) return true;
    else if constexpr (is_variant<T>) return boost::mp11::mp_contains<T, std::monostate>::value;
    else return false;
}
// True if two alternatives have the same name; without strings, which clang 14 cannot compare at compile time.
template <class A, class B> constexpr bool alike() {
    constexpr auto f = form<A>, g = form<B>;
    if constexpr (std::same_as<A, B>) return true;
    else if constexpr ((f == Form::text && g == Form::any) || (f == Form::any && g == Form::text)) return true;
    else if constexpr (is_duration<A> && is_duration<B>) return std::same_as<typename A::period, typename B::period>;
    else if constexpr (f != g || f == Form::variant || is_duration<A> || is_duration<B>) return false;
    else if constexpr (is_sequence<A> != is_sequence<B> || array_size<A> != array_size<B>) return false;
    else if constexpr (f == Form::optional || f == Form::map || is_sequence<A> || is_array<A>)
        return alike<ItemOf<A>, ItemOf<B>>();
    else if constexpr (f == Form::object || f == Form::names || f == Form::list || f == Form::tuple)
        return core::type_name<A> == core::type_name<B>;
    else return true;
}
template <class T> inline constexpr bool differ = true;
template <class First, class... Rest> inline constexpr bool differ<std::variant<First, Rest...>> =
    (!alike<std::remove_const_t<First>, std::remove_const_t<Rest>>() && ...) && differ<std::variant<Rest...>>;
template <> inline constexpr bool differ<std::variant<>> = true;

/// Calls each(descriptor) for the members of the bases, then of the struct; a descriptor has a name and a pointer.
template <class T, class Each> constexpr void for_each_member(Each&& each) {
    namespace describe = boost::describe;
    if constexpr (Described<T>) {
        boost::mp11::mp_for_each<describe::describe_bases<T, describe::mod_any_access>>(
            [&](auto base) { for_each_member<typename decltype(base)::type>(each); });
        boost::mp11::mp_for_each<describe::describe_members<T, describe::mod_any_access>>(each);
    }
}
template <class T> constexpr std::size_t count_members() {
    std::size_t n = 0;
    for_each_member<T>([&](auto) { ++n; });
    return n;
}
template <class T> struct BasesAreDescribed : std::true_type {};
template <class Base> using is_described_base =
    std::bool_constant<(Described<typename Base::type> ||
                        std::is_empty_v<typename Base::type>)&&BasesAreDescribed<typename Base::type>::value>;
template <Described T> struct BasesAreDescribed<T> :
    boost::mp11::mp_all_of<boost::describe::describe_bases<T, boost::describe::mod_any_access>, is_described_base> {};
template <class T> inline constexpr bool bases_are_described = BasesAreDescribed<T>::value;

/// True if the struct lists this field as one that keeps its initialiser when missing.
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
/// True if no member has the same name as one of a base, which would replace it in JSON.
template <class T> constexpr bool member_names_differ() {
    if constexpr (Described<T>)
        if constexpr (!boost::mp11::mp_empty<BasesOf<T>>::value) {
            bool differ = true;
            std::array<std::string_view, count_members<T>()> names;
            std::size_t n = 0;
            for_each_member<T>([&](auto member) {
                for (std::size_t i = 0; i < n; ++i) differ = differ && names[i] != member.name;
                names[n++] = member.name;
            });
            return differ;
        }
    return true;
}
template <class T> constexpr bool null_is_clear() {
    if constexpr (is_optional<T>) return !may_be_null<ItemOf<T>>();
    else return true;
}
/// Returns the reason why a type has no form, with the cure.
template <class T> constexpr std::string_view why_none() {
    if constexpr (std::is_enum_v<T>) return undescribed_enum;
    else if (std::is_class_v<T> && !core::argument_text(core::pretty<T>()).starts_with("std::")) return undescribed;
    else return foreign;
}
template <class T> constexpr bool is_complete() {
    if constexpr (Described<T>) return describes_all_members<T>();
    else return true;
}
template <class T> constexpr bool undescribed_are_not_described() {
    if constexpr (Described<T>) return names_only_undescribed<T>();
    else return true;
}
template <class T> constexpr bool is_sound() {
    return is_only_a_list<T>() && bases_are_described<T> && optional_fields_exist<T>() && differ<T> &&
           is_complete<T>() && member_names_differ<T>() && undescribed_are_not_described<T>();
}
}
}
