// The schema of the event lists its fields, and the fields of its parts.
#include "workflows/catalog/unknown_fields.hpp"
#include "engine/error.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::catalog {
namespace {
using nlohmann::json;

/// The message about the first unknown field; empty if there is none.
std::string unknown_field(const json& form, const json& value, const std::string& type, const std::string& path);

std::string unknown_in_object(const json& form, const json& value, const std::string& type, const std::string& path) {
    const auto& fields = form["properties"];
    for (const auto& [name, part] : value.items()) {
        if (!fields.contains(name)) {
            std::string known;
            for (const auto& field : fields.items()) known += (known.empty() ? "" : ", ") + field.key();
            return "has a field " + path + excerpt(name, 60) + ", which " + type + " does not have: it has " +
                   (known.empty() ? "no fields" : known);
        }
        if (auto found = unknown_field(fields[name], part, path + name, path + name + '.'); !found.empty())
            return found;
    }
    return {};
}
/// The message for alternatives; empty if one of them has no unknown field.
std::string unknown_in_all(const json& forms, const json& value, const std::string& type, const std::string& path) {
    std::string found;
    for (const auto& form : forms) {
        const auto type_of_form = form.value("type", json());
        const auto* own = value.is_object() ? "object" : value.is_array() ? "array" : nullptr;
        if (own && type_of_form.is_string() && type_of_form != own) continue;
        found = unknown_field(form, value, type, path);
        if (found.empty()) break;
    }
    return found;
}
std::string unknown_in_tuple(const json& forms, const json& value, const std::string& type, const std::string& path) {
    std::string found;
    for (std::size_t i = 0; found.empty() && i < std::min(forms.size(), value.size()); ++i)
        found = unknown_field(forms[i], value[i], type, path + std::to_string(i) + '.');
    return found;
}
std::string unknown_field(const json& form, const json& value, const std::string& type, const std::string& path) {
    if (form.contains("anyOf")) return unknown_in_all(form["anyOf"], value, type, path);
    if (value.is_object() && form.contains("properties")) return unknown_in_object(form, value, type, path);
    if (value.is_array() && form.contains("prefixItems"))
        return unknown_in_tuple(form["prefixItems"], value, type, path);
    const auto* parts = value.is_array() && form.contains("items")                   ? "items"
                        : value.is_object() && form.contains("additionalProperties") ? "additionalProperties"
                                                                                     : nullptr;
    if (!parts) return {};
    for (const auto& [name, part] : value.items())
        if (auto found = unknown_field(form[parts], part, type, path + name + '.'); !found.empty()) return found;
    return {};
}
bool takes_null(const json& field) {
    const auto type = field.find("type");
    if (type == field.end()) return true;  // any JSON, or alternatives
    return *type == "null" || (type->is_array() && std::ranges::find(*type, json("null")) != type->end());
}
}
void check_input(const EventType& type, json& data, const std::string& what) {
    json form;
    try {
        form = schema(type);
    } catch (const Error&) { return; }
    refuse_unknown_fields(form, std::string(type.name), data, what);
    if (!data.is_object() || !form.contains("properties")) return;
    for (const auto& [name, field] : form["properties"].items())
        if (const auto at = data.find(name);
            at != data.end() && at->is_null() && field.contains("default") && !takes_null(field))
            data.erase(at);
}
void refuse_unknown_fields(const EventType& type, const json& data, const std::string& what) {
    refuse_unknown_fields(schema(type), std::string(type.name), data, what);
}
void refuse_unknown_fields(const json& form, const std::string& type, const json& data, const std::string& what) {
    const auto found = unknown_field(form, data, type, "");
    if (!found.empty()) throw Error(Code::usage, what + ' ' + found);
}
json closed(json form) {
    if (!form.is_object()) return form;
    for (const char* key : {"anyOf", "prefixItems", "properties"})
        if (const auto at = form.find(key); at != form.end())
            for (auto& part : *at) part = closed(std::move(part));
    for (const char* key : {"items", "additionalProperties"})
        if (const auto at = form.find(key); at != form.end()) *at = closed(std::move(*at));
    if (form.contains("properties") && !form.contains("additionalProperties")) form["additionalProperties"] = false;
    return form;
}
}
