// JSON from servers: parsed within bounds, read without trusting its shape. Internal to the protocols.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/secret.hpp"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace weft::models::wire {
using nlohmann::json;
/// Throws a Fault that says what is broken and shows a little of it, without the key. At most 64 levels deep.
json parse(std::string_view text, const Secret& key);
/// The same of a text that need not be JSON: discarded if it is none, or nested more deeply.
json parse_or_discard(std::string_view text);
/// A member, or null if there is none or this is not an object.
const json& member(const json&, std::string_view name);
std::string text_or_empty(const json&);   // a string, else empty
std::int64_t count_or_zero(const json&);  // a whole number that is not negative, else 0; 10^12 at most
std::string id_or_empty(const json&);     // a string, or a whole number, which some servers give
std::int64_t index_or_none(const json&);  // a place in a list, also as a string of digits; -1 if it is none
/// Text content: a string, or the text parts of an array of parts; null is empty.
std::string content_text(const json&);
/// The tools as both protocols declare them. Throws Error{usage} for a schema that is not JSON.
json function_tools(const std::vector<ToolSpec>&);
/// "system", "user", "assistant" or "tool", as most servers call them.
const char* role_name(Role);
}
