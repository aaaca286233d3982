// Makes the JSON Schema of a type, by its table. Nested structs are inline, because model providers handle plain
// schemas best; so a struct that contains itself has no schema, and throws.
#include "engine/json/walk.hpp"
#include <nlohmann/json.hpp>

namespace weft::json_detail {
using nlohmann::json;

namespace {
json nullable(json schema) {
    if (schema.contains("type") && schema["type"].is_string() && !schema.contains("enum")) {
        schema["type"] = json::array({schema["type"], "null"});
        return schema;
    }
    if (schema.empty()) return schema;  // any value, including null
    return {{"anyOf", json::array({std::move(schema), {{"type", "null"}}})}};
}
json default_of(const Shape& s, const Field& field, const Path& path) {
    if (!s.with_default) path.fail(std::string(s.name) + " has no default constructor, so this field has no default");
    json value;
    auto take = [&](void* object) { value = write(field.shape(), field.of(object), path); };
    s.with_default(&take, [](void* with, void* object) { (*static_cast<decltype(take)*>(with))(object); });
    return value;
}
json object_schema(const Shape& s, const Path& path) {
    json object = {{"type", "object"}, {"properties", json::object()}}, required = json::array();
    for (auto& field : s.fields) {
        const Shape& shape = field.shape();
        const Path inner(path, field.name);
        auto& property = object["properties"][std::string(field.name)] = schema(shape, inner);
        if (field.constant) continue;  // its value is ignored
        if (field.keeps_default) property["default"] = default_of(s, field, inner);
        else if (shape.form != Form::optional) required.push_back(field.name);
    }
    if (!required.empty()) object["required"] = std::move(required);
    return object;
}
json number_schema(const Shape& s, const char* type) {
    json number = {{"type", type}};
    if (s.form == Form::integer && !s.is_signed) number["minimum"] = 0;
    if (!s.unit.empty()) number["description"] = s.unit;
    return number;
}
json list_schema(const Shape& s, const Path& path) {
    json list = {{"type", "array"}, {"items", schema(s.parts[0](), Path(path, "[]"))}};
    if (s.is_array) list["minItems"] = list["maxItems"] = s.length;
    if (s.is_set) list["uniqueItems"] = true;
    return list;
}
json tuple_schema(const Shape& s, const Path& path) {
    auto items = json::array();
    for (auto& item : s.fields) items.push_back(schema(item.shape(), Path(path, items.size())));
    const auto count = items.size();
    return {{"type", "array"}, {"prefixItems", std::move(items)}, {"minItems", count}, {"maxItems", count}};
}
json variant_schema(const Shape& s, const Path& path) {
    auto choices = json::array();
    for (auto part : s.parts) {
        const Shape& alternative = part();
        if (alternative.form == Form::null) {
            choices.push_back(schema(alternative, path));
            continue;
        }
        const auto name = alternative_name(alternative);
        choices.push_back({{"type", "object"},
                           {"properties", {{name, schema(alternative, Path(path, name))}}},
                           {"required", json::array({name})},
                           {"additionalProperties", false}});
    }
    return {{"anyOf", choices}};
}
}

json schema(const Shape& s, const Path& path) {
    switch (s.form) {
    case Form::none: break;
    case Form::boolean: return {{"type", "boolean"}};
    case Form::integer: return number_schema(s, "integer");
    case Form::number: return number_schema(s, "number");
    case Form::string: return {{"type", "string"}};
    case Form::text:
    case Form::any: return json::object();
    case Form::null: return {{"type", "null"}};
    case Form::optional: return nullable(schema(s.parts[0](), path));
    case Form::list: return list_schema(s, path);
    case Form::map: return {{"type", "object"}, {"additionalProperties", schema(s.parts[0](), Path(path, "{}"))}};
    case Form::variant: return variant_schema(s, path);
    case Form::names: {
        auto names = json::array();
        for (auto& e : s.enumerators) names.push_back(e.name);
        return {{"type", "string"}, {"enum", names}};
    }
    case Form::tuple: return tuple_schema(s, path);
    case Form::time: return {{"type", "string"}, {"format", "date-time"}};
    case Form::object: return object_schema(s, path);
    }
    fail_without_form(s, path);
}
}
