// Fields that the shape lacks come last.
#include "engine/json/order.hpp"
#include "engine/json/walk.hpp"

namespace weft::json_detail {
namespace {
using nlohmann::json;
using nlohmann::ordered_json;
using InOrder = ordered_json (*)(const json&, const Shape&);

ordered_json fields_in_order(const json& object, const Shape& s, InOrder part_in_order) {
    auto ordered = ordered_json::object();
    for (const auto& field : s.fields)
        if (const auto at = object.find(std::string(field.name)); at != object.end())
            ordered[at.key()] = part_in_order(*at, field.shape());
    for (const auto& [name, part] : object.items())
        if (!ordered.contains(name)) ordered[name] = part;
    return ordered;
}
ordered_json parts_in_order(const json& whole, const Shape& part, InOrder part_in_order) {
    auto ordered = whole.is_array() ? ordered_json::array() : ordered_json::object();
    for (const auto& [name, one] : whole.items())
        if (whole.is_array()) ordered.push_back(part_in_order(one, part));
        else ordered[name] = part_in_order(one, part);
    return ordered;
}
ordered_json tuple_in_order(const json& items, const Shape& s, InOrder part_in_order) {
    auto ordered = ordered_json::array();
    for (const auto& item : items)
        ordered.push_back(ordered.size() < s.fields.size() ? part_in_order(item, s.fields[ordered.size()].shape())
                                                           : ordered_json(item));
    return ordered;
}
/// `object` has one member, named like an alternative.
ordered_json alternative_in_order(const json& object, const Shape& s, InOrder part_in_order) {
    auto ordered = ordered_json::object();
    for (const auto& [name, value] : object.items()) {
        ordered[name] = value;
        for (const auto part : s.parts)
            if (part().form != Form::null && alternative_name(part()) == name)
                ordered[name] = part_in_order(value, part());
    }
    return ordered;
}
}

ordered_json in_declared_order(const json& value, const Shape& s) {
    if (s.form == Form::optional && !value.is_null()) return in_declared_order(value, s.parts[0]());
    if (value.is_array() && s.form == Form::list) return parts_in_order(value, s.parts[0](), in_declared_order);
    if (value.is_array() && s.form == Form::tuple) return tuple_in_order(value, s, in_declared_order);
    if (!value.is_object()) return value;
    if (s.form == Form::object) return fields_in_order(value, s, in_declared_order);
    if (s.form == Form::map) return parts_in_order(value, s.parts[0](), in_declared_order);
    if (s.form == Form::variant) return alternative_in_order(value, s, in_declared_order);
    return value;
}
ordered_json schema_in_declared_order(const json& schema, const Shape& s) {
    if (!schema.is_object()) return schema;
    if (s.form == Form::optional && !schema.contains("anyOf")) return schema_in_declared_order(schema, s.parts[0]());
    auto ordered = ordered_json::object();
    for (const auto& [key, part] : schema.items()) {
        if (key == "properties" && s.form == Form::object)
            ordered[key] = fields_in_order(part, s, schema_in_declared_order);
        else if (key == "properties" && s.form == Form::variant)
            ordered[key] = alternative_in_order(part, s, schema_in_declared_order);
        else if (key == "items" && s.form == Form::list) ordered[key] = schema_in_declared_order(part, s.parts[0]());
        else if (key == "additionalProperties" && s.form == Form::map)
            ordered[key] = schema_in_declared_order(part, s.parts[0]());
        else if (key == "prefixItems" && s.form == Form::tuple)
            ordered[key] = tuple_in_order(part, s, schema_in_declared_order);
        else if (key == "anyOf")
            ordered[key] = parts_in_order(part, s.form == Form::optional ? s.parts[0]() : s, schema_in_declared_order);
        else ordered[key] = part;
    }
    return ordered;
}
}
