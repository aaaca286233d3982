// Makes the table of a type (engine/json/shape.hpp) from its description, at compile time.
//
//     constexpr auto& order = json_detail::shape_of<Order>;               // writes and reads an Order
//     constexpr auto* maybe = json_detail::shape_if_any<OrderEvent>();    // null without a description
//
// The description is beside the type, so its table is the same in every file. Includes no JSON library: a program
// without JSON has unused tables.
#pragma once
#include "engine/json/form.hpp"
#include <memory>
#include <new>
#include <ratio>
#include <utility>

namespace weft::json_detail {
template <class T> constexpr Shape make_shape();
template <class T> inline constexpr Shape shape_of = make_shape<T>();
// A function, because a type may contain itself, and clang 14 rejects a constant table that points to itself.
template <class T> const Shape& table_of() { return shape_of<T>; }

template <class T, class Member> void* field_of(void* object) {
    auto& field = static_cast<T*>(object)->*Member::pointer;
    return const_cast<void*>(static_cast<const void*>(std::addressof(field)));
}
template <class T> constexpr auto make_fields() {
    std::array<Field, count_members<T>()> all{};
    std::size_t i = 0;
    for_each_member<T>([&](auto member) {
        using Member = decltype(member);
        using Type = std::remove_reference_t<decltype(std::declval<T&>().*Member::pointer)>;
        all[i++] = {std::string_view(Member::name), &table_of<std::remove_cv_t<Type>>, &field_of<T, Member>,
                    keeps_default<T>(Member::name), std::is_const_v<Type>};
    });
    return all;
}
template <class T> inline constexpr auto fields_of = make_fields<T>();

template <class T> constexpr auto make_enumerators() {
    using All = boost::describe::describe_enumerators<T>;
    std::array<Enumerator, boost::mp11::mp_size<All>::value> all{};
    std::size_t i = 0;
    boost::mp11::mp_for_each<All>([&](auto e) { all[i++] = {std::string_view(e.name), std::int64_t(e.value)}; });
    return all;
}
template <class T> inline constexpr auto enumerators_of = make_enumerators<T>();

template <class... T> inline constexpr std::array<Table, sizeof...(T)> parts_of{&table_of<std::remove_const_t<T>>...};

// Types that are only written need not be readable, so each requirement of reading is checked first.
inline constexpr std::string_view no_default = "a part of it has no default constructor";
inline constexpr std::string_view is_constant = "a part of it is const";

template <class T> constexpr void shape_optional(Shape& s) {
    using Item = typename T::value_type;
    s.parts = parts_of<Item>;
    s.current = [](const void* value) -> const void* {
        auto& optional = *static_cast<const T*>(value);
        return optional ? std::addressof(*optional) : nullptr;
    };
    if constexpr (!null_is_clear<T>()) s.unread = "null would be ambiguous";
    else {
        s.clear = [](void* value) { static_cast<T*>(value)->reset(); };
        if constexpr (!std::is_default_constructible_v<Item>) s.unread = no_default;
        else if constexpr (std::is_const_v<Item>) s.unread = is_constant;
        else
            s.emplace = [](void* value, std::size_t) -> void* {
                return std::addressof(static_cast<T*>(value)->emplace());
            };
    }
}
template <class T> constexpr void shape_list(Shape& s) {
    using Item = typename T::value_type;
    s.own_name = !is_sequence<T>;
    s.is_set = is_set<T>;
    s.any_order = is_set<T> && requires { typename T::hasher; };
    s.parts = parts_of<Item>;
    s.each = [](const void* list, void* with, Each each) {
        for (const Item& item : *static_cast<const T*>(list)) each(with, nullptr, std::addressof(item));
    };
    constexpr bool renews = std::is_default_constructible_v<T> && std::is_move_assignable_v<T>;
    if constexpr (is_sequence<T>) s.clear = [](void* list) { static_cast<T*>(list)->clear(); };
    else if constexpr (renews) s.clear = [](void* list) { *static_cast<T*>(list) = T(); };
    else s.unread = "it cannot be assigned to";
    if constexpr (!std::is_default_constructible_v<Item>) s.unread = no_default;
    else if constexpr (!std::is_move_constructible_v<Item>) s.unread = "a part of it cannot be moved";
    else if constexpr (!is_sequence<T> && !std::is_copy_constructible_v<Item>)
        s.unread = "a part of it cannot be copied";
    else
        s.add = [](void* list, const std::string*, void* with, Fill fill) {
            Item item = Item();
            fill(with, std::addressof(item));
            if constexpr (is_set<T>) return bool(static_cast<T*>(list)->insert(std::move(item)).second);
            else return static_cast<T*>(list)->push_back(std::move(item)), true;
        };
}
template <class T> constexpr void shape_array(Shape& s) {
    using Item = typename T::value_type;
    s.is_array = true;
    s.length = array_size<T>;
    s.parts = parts_of<Item>;
    s.each = [](const void* array, void* with, Each each) {
        for (const Item& item : *static_cast<const T*>(array)) each(with, nullptr, std::addressof(item));
    };
    if constexpr (std::is_const_v<Item>) s.unread = is_constant;
    else s.emplace = [](void* array, std::size_t i) -> void* { return static_cast<T*>(array)->data() + i; };
}
template <class T> constexpr void shape_map(Shape& s) {
    using Item = typename T::mapped_type;
    s.parts = parts_of<Item>;
    s.clear = [](void* map) { static_cast<T*>(map)->clear(); };
    s.each = [](const void* map, void* with, Each each) {
        for (auto& [key, item] : *static_cast<const T*>(map)) each(with, &key, std::addressof(item));
    };
    if constexpr (!std::is_default_constructible_v<Item>) s.unread = no_default;
    else if constexpr (std::is_const_v<Item>) s.unread = is_constant;
    else
        s.add = [](void* map, const std::string* key, void* with, Fill fill) {
            fill(with, std::addressof((*static_cast<T*>(map))[*key]));
            return true;
        };
}
template <class... A> constexpr void shape_variant(Shape& s, std::type_identity<std::variant<A...>>) {
    using T = std::variant<A...>;
    s.parts = parts_of<A...>;
    s.index = [](const void* value) { return static_cast<const T*>(value)->index(); };
    s.current = [](const void* value) -> const void* {
        auto& variant = *static_cast<const T*>(value);
        if (variant.valueless_by_exception()) return nullptr;
        return std::visit([](auto& one) -> const void* { return std::addressof(one); }, variant);
    };
    if constexpr (!(std::is_default_constructible_v<A> && ...)) s.unread = no_default;
    else if constexpr ((std::is_const_v<A> || ...)) s.unread = is_constant;
    else
        s.emplace = [](void* value, std::size_t i) {
            void* made = nullptr;
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                ((I == i ? void(made = std::addressof(static_cast<T*>(value)->template emplace<I>())) : void()), ...);
            }
            (std::index_sequence_for<A...>{});
            return made;
        };
}
template <class T, std::size_t i> void* item_at(void* tuple) {
    auto& item = std::get<i>(*static_cast<T*>(tuple));
    return const_cast<void*>(static_cast<const void*>(std::addressof(item)));
}
template <class T, std::size_t i> constexpr Field make_item() {
    using Item = std::tuple_element_t<i, T>;
    return {.name = {},
            .shape = &table_of<std::remove_cv_t<Item>>,
            .of = &item_at<T, i>,
            .constant = std::is_const_v<Item>};
}
template <class T> constexpr auto make_items() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
        return std::array<Field, sizeof...(I)>{make_item<T, I>()...};
    }
    (std::make_index_sequence<std::tuple_size_v<T>>{});
}
template <class T> inline constexpr auto items_of = make_items<T>();

/// The unit of a period without a name: "units of 1/30 seconds".
template <class Period> struct UnitText {
    char text[64] = {};
    std::size_t size = 0;
    constexpr void add(std::string_view part) {
        for (char c : part) text[size++] = c;
    }
    constexpr void add(std::intmax_t number) {
        if (number > 9) add(number / 10);
        text[size++] = char('0' + number % 10);
    }
    constexpr UnitText() {
        add("units of "), add(Period::num);
        if (Period::den != 1) add("/"), add(Period::den);
        add(" seconds");
    }
};
template <class Period> inline constexpr UnitText<Period> unit_text;
template <class Period> constexpr std::string_view unit_of() {
    if constexpr (std::ratio_equal_v<Period, std::nano>) return "nanoseconds";
    else if constexpr (std::ratio_equal_v<Period, std::micro>) return "microseconds";
    else if constexpr (std::ratio_equal_v<Period, std::milli>) return "milliseconds";
    else if constexpr (std::ratio_equal_v<Period, std::ratio<1>>) return "seconds";
    else if constexpr (std::ratio_equal_v<Period, std::ratio<60>>) return "minutes";
    else if constexpr (std::ratio_equal_v<Period, std::ratio<3600>>) return "hours";
    else if constexpr (std::ratio_equal_v<Period, std::ratio<86400>>) return "days";
    else if constexpr (std::ratio_equal_v<Period, std::ratio<604800>>) return "weeks";
    else return {unit_text<Period>.text, unit_text<Period>.size};
}
template <class T> constexpr void shape_duration(Shape& s) {
    s.is_signed = std::is_signed_v<typename T::rep>;
    s.unit = unit_of<typename T::period>();
}
template <class T> constexpr void shape_time(Shape& s) {
    shape_duration<typename T::duration>(s);
    s.ticks = T::period::den;
    s.seconds = T::period::num;
}

template <class T> constexpr Shape make_shape() {
    Shape s{};
    s.name = core::type_name<T>;
    if constexpr (form<T> == Form::none) s.flaw = why_none<T>();
    else if constexpr (!is_sound<T>())
        s.flaw = "has a description that JSON cannot follow: call to_json with a value, and the compiler says why";
    else {
        constexpr auto f = form<T>;
        s.form = f;
        s.size = sizeof(T);
        if constexpr (is_duration<T>) shape_duration<T>(s);
        else if constexpr (f == Form::integer) s.is_signed = std::is_signed_v<T>;
        if constexpr (f == Form::time) shape_time<T>(s);
        if constexpr (f == Form::names) {
            s.is_signed = std::is_signed_v<std::underlying_type_t<T>>;
            s.enumerators = enumerators_of<T>;
        }
        if constexpr (f == Form::optional) shape_optional<T>(s);
        if constexpr (is_array<T>) shape_array<T>(s);
        else if constexpr (f == Form::list) shape_list<T>(s);
        if constexpr (f == Form::map) shape_map<T>(s);
        if constexpr (f == Form::variant) shape_variant(s, std::type_identity<T>{});
        if constexpr (f == Form::tuple) s.fields = items_of<T>;
        if constexpr (f == Form::object) s.fields = fields_of<T>;
        // T() instead of T{}, which would fail if a member's default constructor is explicit.
        if constexpr (std::is_default_constructible_v<T>) s.make = [](void* at) { ::new (at) T(); };
        if constexpr (f == Form::object && std::is_default_constructible_v<T>)
            s.with_default = [](void* with, Fill fill) {
                T value = T();
                fill(with, std::addressof(value));
            };
    }
    return s;
}
template <class T> constexpr const Shape* shape_if_any() {
    if constexpr (form<T> == Form::none) return nullptr;
    else return &shape_of<T>;
}
}
