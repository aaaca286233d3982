// The JSON Schema of a type: the third part of engine/json.hpp. Nested structs stand inline, since providers of models
// read plain schemas best; a struct that contains itself therefore has none, and says so.
#pragma once
#include "engine/json_write.hpp"

namespace weft::json_detail {
nlohmann::json nullable(nlohmann::json schema);

template <class T> nlohmann::json schema(const Path& path);

template <class T> nlohmann::json object_schema(const Path& path) {
    using nlohmann::json;
    json object = {{"type", "object"}, {"properties", json::object()}}, required = json::array();
    for_each_member<T>([&](std::string_view name, auto member) {
        using Field = std::remove_cvref_t<decltype(std::declval<T&>().*member)>;
        Path inner(path, name);
        auto& property = object["properties"][std::string(name)] = schema<Field>(inner);
        if (keeps_default<T>(name)) property["default"] = write(T{}.*member, inner);
        else if (!is_optional<Field>) required.push_back(name);
    });
    if (!required.empty()) object["required"] = std::move(required);
    return object;
}

template <class T> nlohmann::json schema(const Path& path) {
    check<T>();
    using nlohmann::json;
    constexpr auto f = form<T>;
    if constexpr (f == Form::boolean) return {{"type", "boolean"}};
    else if constexpr (f == Form::integer) {
        json integer = {{"type", "integer"}};
        if (std::is_unsigned_v<T>) integer["minimum"] = 0;
        return integer;
    } else if constexpr (f == Form::number) return {{"type", "number"}};
    else if constexpr (f == Form::string) return {{"type", "string"}};
    else if constexpr (f == Form::text || f == Form::any) return json::object();
    else if constexpr (f == Form::null) return {{"type", "null"}};
    else if constexpr (f == Form::optional) return nullable(schema<typename T::value_type>(path));
    else if constexpr (f == Form::list)
        return {{"type", "array"}, {"items", schema<typename T::value_type>(Path(path, "[]"))}};
    else if constexpr (f == Form::map)
        return {{"type", "object"}, {"additionalProperties", schema<typename T::mapped_type>(Path(path, "{}"))}};
    else if constexpr (f == Form::variant) {
        auto choices = json::array();
        auto add = [&]<class A>(std::type_identity<A>) {
            if constexpr (form<A> == Form::null) choices.push_back(schema<A>(path));
            else {
                auto name = alternative_name<A>();
                choices.push_back({{"type", "object"},
                                   {"properties", {{name, schema<A>(Path(path, name))}}},
                                   {"required", json::array({name})},
                                   {"additionalProperties", false}});
            }
        };
        [&]<class... A>(std::type_identity<std::variant<A...>>) {
            (add(std::type_identity<A>{}), ...);
        }(std::type_identity<T>{});
        return {{"anyOf", choices}};
    } else if constexpr (f == Form::names) {
        auto names = json::array();
        for_each_enumerator<T>([&](auto e) { names.push_back(e.name); });
        return {{"type", "string"}, {"enum", names}};
    } else return object_schema<T>(path);
}
}
