// The order of the fields of forms. nlohmann::json sorts objects by name, so a message that was read keeps the order of
// its text in the form's schema: {"propertyOrdering": ["year", "month"]}. A message that is written has its fields in
// that order, and no list.
//
//     keep_field_order(text, message);                          // takes the order from the text
//     for (const auto& name : field_order(form)) show(form["properties"][name]);
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools::mcp {
inline constexpr const char* ordering = "propertyOrdering";
/// Adds the list to the schema of each form: of a request that asks, or of a result that asks for input.
void keep_field_order(std::string_view text, nlohmann::json& message);
/// The names of all fields: first the fields in the list, then the other fields by name.
std::vector<std::string> field_order(const nlohmann::json& form);
/// Writes the params of a question.
nlohmann::ordered_json ordered_question(const nlohmann::json& params);
/// Writes a result that asks for input.
nlohmann::ordered_json ordered_questions(const nlohmann::json& result);
}
