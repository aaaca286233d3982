// Which JSON form a C++ type has, and where in a value the codec is: what reading, writing and schema have in common.
#pragma once
#include "engine/describe.hpp"
#include "engine/error.hpp"
#include "engine/event.hpp"
#include "engine/growing.hpp"
#include "engine/json_text.hpp"
#include <boost/describe/bases.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

namespace weft {
/// A struct with a BOOST_DESCRIBE_STRUCT line.
template <class T>
concept Described = boost::describe::has_describe_members<T>::value && !std::is_union_v<T>;

namespace json_detail {
enum class Form {
    none,
    boolean,
    integer,
    number,
    string,
    text,
    any,
    null,
    optional,
    list,
    map,
    variant,
    names,
    object
};

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
template <class T> constexpr bool optional_fields_exist();
template <class T> constexpr void check() {
    static_assert(form<T> != Form::none, "this type has no JSON form: describe it with BOOST_DESCRIBE_STRUCT or "
                                         "BOOST_DESCRIBE_ENUM, or use a type listed in engine/json.hpp");
    static_assert(!(Grows<T> && Described<T>), "a class derived from Growing is an array in JSON: do not describe it");
    static_assert(optional_fields_exist<T>(), "optional_fields names a field that this struct does not have");
}

template <class T> constexpr bool may_be_null() {
    if constexpr (is_optional<T> || std::same_as<T, std::monostate>) return true;
    else if constexpr (is_variant<T>) return boost::mp11::mp_contains<T, std::monostate>::value;
    else return false;
}

/// The key of an alternative of a variant.
template <class T> std::string alternative_name() {
    constexpr auto f = form<T>;
    if constexpr (f == Form::boolean) return "boolean";
    else if constexpr (f == Form::integer) return "integer";
    else if constexpr (f == Form::number) return "number";
    else if constexpr (f == Form::string) return "string";
    else if constexpr (f == Form::text || f == Form::any) return "json";
    else if constexpr (f == Form::optional) return alternative_name<typename T::value_type>() + "?";
    else if constexpr (is_vector<T>) return alternative_name<typename T::value_type>() + "[]";
    else if constexpr (f == Form::map) return alternative_name<typename T::mapped_type>() + "{}";
    else if constexpr (f == Form::variant) {
        return []<class... A>(std::type_identity<std::variant<A...>>) {
            std::string names;
            ((names += (names.empty() ? "" : "|") + alternative_name<A>()), ...);
            return names;
        }(std::type_identity<T>{});
    } else return std::string(type_name<T>);
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

template <class T, class Each> void for_each_enumerator(Each each) {
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(each);
}
template <class T> std::string enumerator_names() {  // "red, green, blue"
    std::string names;
    for_each_enumerator<T>([&](auto e) { names += (names.empty() ? "" : ", ") + std::string(e.name); });
    return names;
}

template <class T> constexpr void check_variant() {
    static_assert(differ<T>, "two alternatives of this variant have the same name in JSON");
}

/// Calls each(name, pointer to member) for the bases' members, then for the struct's own.
template <class T, class Each> constexpr void for_each_member(Each&& each) {
    namespace describe = boost::describe;
    if constexpr (Described<T>) {
        boost::mp11::mp_for_each<describe::describe_bases<T, describe::mod_any_access>>([&](auto base) {
            using Base = typename decltype(base)::type;
            static_assert(Described<Base> || std::is_empty_v<Base>, "this base class has members: describe it too");
            for_each_member<Base>(each);
        });
        boost::mp11::mp_for_each<describe::describe_members<T, describe::mod_any_access>>(
            [&](auto member) { each(std::string_view(member.name), member.pointer); });
    }
}
/// Whether the struct says that this field keeps its initialiser when it is missing.
template <class T> bool keeps_default(std::string_view field) {
    if constexpr (requires { T::optional_fields; })
        for (std::string_view name : T::optional_fields)
            if (name == field) return true;
    return false;
}

template <class T> constexpr bool optional_fields_exist() {
    if constexpr (requires { T::optional_fields; })
        for (std::string_view name : T::optional_fields) {
            bool found = false;
            for_each_member<T>([&](std::string_view field, auto) { found = found || field == name; });
            if (!found) return false;
        }
    return true;
}

/// Where the codec is, as a chain on the stack from the value back to the root.
class Path {
public:
    explicit Path(std::string_view root) : key_(root) {}
    Path(const Path& parent, std::string_view key) : parent_(&parent), key_(key) { descend(); }
    Path(const Path& parent, std::size_t index) : parent_(&parent), index_(index) { descend(); }
    Path(const Path&) = delete;
    [[noreturn]] void fail(const std::string& what) const;  // "orders[3].count: what"
    [[noreturn]] void mismatch(std::string_view expected, const nlohmann::json& got) const;

private:
    void descend() {
        depth_ = parent_->depth_ + 1;
        if (depth_ > 64) fail("more than 64 levels of nesting");
    }
    std::string text() const;
    const Path* parent_ = nullptr;
    std::string_view key_;
    std::size_t index_ = 0;
    int depth_ = 0;
};
}
}
