// JSON of a described value, and its schema, with the fields in the order of their declaration. Objects of
// nlohmann::json are ordered by name, which is of use to programs alone.
//
//     auto shown = in_declared_order(to_json(event), shape).dump();
#pragma once
#include "engine/json/shape.hpp"
#include <nlohmann/json.hpp>

namespace weft::json_detail {
nlohmann::ordered_json in_declared_order(const nlohmann::json& value, const Shape&);
/// The schema may have been made more detailed since: titles were added, a list of types became a choice.
nlohmann::ordered_json schema_in_declared_order(const nlohmann::json& schema, const Shape&);
}
