// JSON from servers: parsed within bounds, read without trust in its shape. Internal to the protocols.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/secret.hpp"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace weft::models::wire {
using nlohmann::json;
/// Throws a Fault that names the error and quotes a short part of the text, without the key. At most 64 levels deep.
json parse(std::string_view text, const Secret& key);
/// Parses a text that may not be JSON: the value is discarded if it is not, or if it is nested too deeply.
json parse_or_discard(std::string_view text);
/// Returns a member; null if it is missing or the value is not an object.
const json& member(const json&, std::string_view name);
std::string text_or_empty(const json&);                        // a string, else empty
inline constexpr std::int64_t most_count = 1'000'000'000'000;  // sums of such numbers do not overflow
std::int64_t count_or_zero(const json&);                       // an integer from 0 to most_count, else 0
std::string id_or_empty(const json&);                          // a string, or an integer, which some servers send
std::int64_t index_or_none(const json&);  // a position in a list, also as a string of digits; -1: not valid
/// Returns text content: a string, or the text parts of an array of parts; empty for null.
std::string content_text(const json&);
/// Returns the tools for OpenAI's and Ollama's protocols. Throws Error{usage} for a schema that is not JSON.
json function_tools(const std::vector<ToolSpec>&);
/// Returns "system", "user", "assistant" or "tool", the names in most protocols.
const char* role_name(Role);
}
