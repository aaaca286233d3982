// Strict mode refuses a schema with an unknown keyword, so it is requested only if all keywords are known.
#include "steps/models/protocols/openai_family.hpp"
#include "engine/text/characters.hpp"
#include "steps/models/protocols/parts/turns.hpp"
#include <algorithm>

namespace weft::models::openai {
namespace {
using wire::json;
using wire::member;
constexpr int deepest = 10;  // strict mode's limit

/// True if each object has additionalProperties false and requires all of its properties, and all keywords are known.
bool is_strict_at(const json& schema, int depth);
bool all_strict(const json& schemas, int depth) {
    if (!schemas.is_object() && !schemas.is_array()) return false;
    return std::all_of(schemas.begin(), schemas.end(), [&](const json& one) { return is_strict_at(one, depth); });
}
bool is_strict_object(const json& schema) {
    const auto &properties = member(schema, "properties"), &required = member(schema, "required");
    if (member(schema, "additionalProperties") != json(false) || !properties.is_object()) return false;
    for (const auto& item : properties.items())
        if (std::find(required.begin(), required.end(), json(item.key())) == required.end()) return false;
    return true;
}
bool is_strict_at(const json& schema, int depth) {
    if (!schema.is_object() || depth > deepest) return false;
    for (const char* unknown : {"allOf",
                                "oneOf",
                                "not",
                                "if",
                                "then",
                                "else",
                                "patternProperties",
                                "propertyNames",
                                "minProperties",
                                "maxProperties",
                                "dependentRequired",
                                "dependentSchemas",
                                "prefixItems",
                                "contains",
                                "uniqueItems",
                                "unevaluatedItems",
                                "unevaluatedProperties",
                                "default",
                                "minLength",
                                "maxLength"})
        if (schema.contains(unknown)) return false;
    const auto& type = member(schema, "type");
    const bool object = type == "object" || schema.contains("properties") ||
                        (type.is_array() && std::find(type.begin(), type.end(), json("object")) != type.end());
    if (object && !is_strict_object(schema)) return false;
    if (type == "array" && !schema.contains("items")) return false;
    if (type.is_null() && !schema.contains("$ref") && !schema.contains("anyOf") && !schema.contains("enum") &&
        !schema.contains("const"))
        return false;  // allows any value
    for (const char* some : {"properties", "anyOf", "$defs", "definitions"})
        if (schema.contains(some) && !all_strict(schema[some], depth + 1)) return false;
    return !schema.contains("items") || is_strict_at(schema["items"], depth + 1);
}
std::string form_name(std::string name) {  // makes at most 64 letters, digits, _ and -
    for (char& c : name)
        if (!is_letter_or_digit(c) && c != '-') c = '_';
    name.resize(std::min<std::size_t>(name.size(), 64));
    return name.empty() ? "answer" : name;
}
}

json reply_form(const ReplySchema& reply) {
    auto schema = turns::schema_of(reply);
    const bool strict = member(schema, "type") == "object" && is_strict_at(schema, 1);
    return {{"name", form_name(reply.name)}, {"schema", std::move(schema)}, {"strict", strict}};
}
std::string sendable_arguments(const std::string& arguments) {
    if (wire::parse_or_discard(arguments).is_object()) return arguments;
    return turns::dump(turns::arguments_object(arguments));
}
Usage read_usage(const json& usage, const std::string& read, const std::string& written) {
    const auto count = [](const json& counts, std::string_view name) {
        return wire::count_or_zero(member(counts, name));
    };
    const auto &prompt = member(usage, read + "_tokens_details"), &reply = member(usage, written + "_tokens_details");
    Usage all;
    all.prompt_tokens = count(usage, read + "_tokens");
    all.completion_tokens = count(usage, written + "_tokens");
    all.cached_tokens = std::max({count(prompt, "cached_tokens"), count(usage, "cached_tokens"),
                                  count(usage, "prompt_cache_hit_tokens"), count(usage, "cache_read_input_tokens")});
    all.cache_written_tokens = std::max({count(prompt, "cache_write_tokens"), count(prompt, "cache_creation_tokens"),
                                         count(prompt, "cache_creation_input_tokens"),
                                         count(usage, "cache_creation_input_tokens")});
    all.reasoning_tokens = count(reply, "reasoning_tokens");
    return all;
}
}
