// Puts the fields of a described value's JSON, and of its schema, into the order of their declaration, for people.
// nlohmann::json orders objects by name.
//
//     auto shown = in_declared_order(to_json(event), shape).dump();
#pragma once
#include "engine/json/shape.hpp"
#include <nlohmann/json.hpp>

namespace weft::json_detail {
nlohmann::ordered_json in_declared_order(const nlohmann::json& value, const Shape&);
/// The schema may have been refined: with titles, or with a choice in place of a list of types.
nlohmann::ordered_json schema_in_declared_order(const nlohmann::json& schema, const Shape&);
}
