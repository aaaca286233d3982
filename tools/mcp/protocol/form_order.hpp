// The order of the fields of forms. Objects of nlohmann::json are ordered by name, so a message that has been read
// keeps the order that its text has in the schema of the form: {"propertyOrdering": ["year", "month"]}. A message that
// is written has its fields in that order, and not the list.
//
//     keep_field_order(text, message);                          // of what the text says
//     for (const auto& name : field_order(form)) show(form["properties"][name]);
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools::mcp {
inline constexpr const char* ordering = "propertyOrdering";
/// Into the schema of each form of a message: of a request that asks, or of a result that asks for input.
void keep_field_order(std::string_view text, nlohmann::json& message);
/// The names of all fields: those of the list first, then the others by name.
std::vector<std::string> field_order(const nlohmann::json& form);
/// The params of a question as they are written.
nlohmann::ordered_json ordered_question(const nlohmann::json& params);
/// A result that asks for input, as it is written.
nlohmann::ordered_json ordered_questions(const nlohmann::json& result);
}
