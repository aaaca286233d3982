// Values to JSON: the writing half of engine/json.hpp.
#pragma once
#include "engine/json_form.hpp"
#include <cmath>

namespace weft::json_detail {
nlohmann::json write_string(const std::string&);
nlohmann::json write_text(const std::string&);
[[noreturn]] void fail_unnamed(const Path&, long long value, const std::string& names);

template <class T> nlohmann::json write(const T& value, const Path& path) {
    check<T>();
    using nlohmann::json;
    constexpr auto f = form<T>;
    if constexpr (f == Form::boolean || f == Form::integer || f == Form::any) return value;
    else if constexpr (f == Form::number) {
        if (!std::isfinite(value)) path.fail("JSON has no number that is not finite");
        return static_cast<double>(value);
    } else if constexpr (f == Form::string) return write_string(value);
    else if constexpr (f == Form::text) return write_text(value.text);
    else if constexpr (f == Form::null) return nullptr;
    else if constexpr (f == Form::optional) {
        if (!value) return nullptr;
        return write<typename T::value_type>(*value, path);
    } else if constexpr (f == Form::list) {
        auto array = json::array();
        for (const typename T::value_type& item : value) array.push_back(write(item, Path(path, array.size())));
        return array;
    } else if constexpr (f == Form::map) {
        auto object = json::object();
        for (auto& [key, item] : value)
            object[write_string(key).template get<std::string>()] = write(item, Path(path, key));
        return object;
    } else if constexpr (f == Form::variant) {
        check_variant<T>();
        return std::visit(
            [&]<class A>(const A& alternative) -> json {
                if constexpr (form<A> == Form::null) return nullptr;
                else {
                    auto object = json::object();
                    auto name = alternative_name<A>();
                    object[name] = write(alternative, Path(path, name));
                    return object;
                }
            },
            value);
    } else if constexpr (f == Form::names) {
        json name;
        for_each_enumerator<T>([&](auto e) {
            if (e.value == value) name = e.name;
        });
        if (name.is_null()) fail_unnamed(path, static_cast<long long>(value), enumerator_names<T>());
        return name;
    } else {
        auto object = json::object();
        for_each_member<T>([&](std::string_view name, auto member) {
            object[std::string(name)] = write(value.*member, Path(path, name));
        });
        return object;
    }
}
}
