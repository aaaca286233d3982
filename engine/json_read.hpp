// JSON to values: the reading half of engine/json.hpp.
#pragma once
#include "engine/json_form.hpp"
#include <limits>

namespace weft::json_detail {
std::string expected_integer(std::int64_t low, std::uint64_t high);
std::int64_t read_signed(const nlohmann::json&, std::int64_t low, std::int64_t high, const Path&);
std::uint64_t read_unsigned(const nlohmann::json&, std::uint64_t high, const Path&);
double read_number(const nlohmann::json&, double most, const Path&);
std::string read_text(const nlohmann::json&);

template <class T> std::string expected() {
    constexpr auto f = form<T>;
    if constexpr (f == Form::boolean) return "a boolean";
    else if constexpr (f == Form::integer) return "an integer";
    else if constexpr (f == Form::number) return "a number";
    else if constexpr (f == Form::string) return "a string";
    else if constexpr (f == Form::null) return "null";
    else if constexpr (f == Form::list) return "an array";
    else if constexpr (f == Form::names) return "one of " + enumerator_names<T>();
    else if constexpr (f == Form::optional) return expected<typename T::value_type>() + " or null";
    else if constexpr (f == Form::variant) {
        return [&]<class... A>(std::type_identity<std::variant<A...>>) {
            std::string keys;
            ((keys += form<A> == Form::null ? "" : (keys.empty() ? "" : ", ") + alternative_name<A>()), ...);
            return (may_be_null<T>() ? "null, or an object" : "an object") + (" with one of the keys " + keys);
        }(std::type_identity<T>{});
    } else if constexpr (f == Form::text || f == Form::any) return "a value";
    else return "an object";
}

template <class T> void read(const nlohmann::json& json, T& value, const Path& path);

template <class... A> void read_variant(const nlohmann::json& json, std::variant<A...>& value, const Path& path) {
    using V = std::variant<A...>;
    check_variant<V>();
    if constexpr (may_be_null<V>())
        if (json.is_null()) return void(value.template emplace<std::monostate>());
    bool done = false;
    if (json.is_object() && json.size() == 1) {
        const auto& only = *json.template get_ref<const nlohmann::json::object_t&>().begin();
        auto attempt = [&]<class One>(std::type_identity<One>) {
            if constexpr (form<One> != Form::null) {
                if (done || only.first != alternative_name<One>()) return;
                read(only.second, value.template emplace<One>(), Path(path, only.first));
                done = true;
            }
        };
        (attempt(std::type_identity<A>{}), ...);
    }
    if (!done) path.mismatch(expected<V>(), json);
}
template <class T> void read_object(const nlohmann::json& json, T& value, const Path& path) {
    if (!json.is_object()) path.mismatch(expected<T>(), json);
    for_each_member<T>([&](std::string_view name, auto member) {
        auto& target = value.*member;
        using Field = std::remove_cvref_t<decltype(target)>;
        Path inner(path, name);
        if (auto found = json.find(name); found != json.end()) read(*found, target, inner);
        else if (!is_optional<Field> && !keeps_default<T>(name)) inner.fail("missing, expected " + expected<Field>());
    });
}

template <class T> void read(const nlohmann::json& json, T& value, const Path& path) {
    check<T>();
    constexpr auto f = form<T>;
    if constexpr (f == Form::boolean) {
        if (!json.is_boolean()) path.mismatch(expected<T>(), json);
        value = json.get<bool>();
    } else if constexpr (f == Form::integer) {
        using Limits = std::numeric_limits<T>;
        if constexpr (std::is_signed_v<T>) value = T(read_signed(json, Limits::min(), Limits::max(), path));
        else value = T(read_unsigned(json, Limits::max(), path));
    } else if constexpr (f == Form::number) {
        value = T(read_number(
            json, double(std::min<long double>(std::numeric_limits<T>::max(), std::numeric_limits<double>::max())),
            path));
    } else if constexpr (f == Form::string) {
        if (!json.is_string()) path.mismatch(expected<T>(), json);
        value = json.get_ref<const std::string&>();
    } else if constexpr (f == Form::text) value.text = read_text(json);
    else if constexpr (f == Form::any) value = json;
    else if constexpr (f == Form::null) {
        if (!json.is_null()) path.mismatch(expected<T>(), json);
    } else if constexpr (f == Form::optional) {
        static_assert(!may_be_null<typename T::value_type>(), "null would be ambiguous in this optional");
        if (json.is_null()) value.reset();
        else read(json, value.emplace(), path);
    } else if constexpr (f == Form::list) {
        if (!json.is_array()) path.mismatch(expected<T>(), json);
        value = T{};
        for (std::size_t i = 0; i < json.size(); ++i) {
            typename T::value_type item{};
            read(json[i], item, Path(path, i));
            value.push_back(std::move(item));
        }
    } else if constexpr (f == Form::map) {
        if (!json.is_object()) path.mismatch(expected<T>(), json);
        value.clear();
        for (auto& [key, item] : json.get_ref<const nlohmann::json::object_t&>())
            read(item, value[key], Path(path, key));
    } else if constexpr (f == Form::variant) read_variant(json, value, path);
    else if constexpr (f == Form::names) {
        bool found = false;
        for_each_enumerator<T>([&](auto e) {
            if (!json.is_string() || json.get_ref<const std::string&>() != e.name) return;
            value = e.value;
            found = true;
        });
        if (!found) path.mismatch(expected<T>(), json);
    } else read_object(json, value, path);
}
}
