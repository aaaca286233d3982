// Strict mode refuses a schema with an unknown keyword, so it is requested only if all keywords are known.
#include "steps/models/protocols/openai_family.hpp"
#include "engine/text/characters.hpp"
#include "steps/models/protocols/parts/json_scanner.hpp"
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

struct UsageReader {
    std::string_view read, written;  // prefixes
    Usage usage = {};
    void note(std::string_view within, std::string_view name, std::int64_t count) {
        const auto raise = [count](std::int64_t& tokens) { tokens = std::max(tokens, count); };
        const auto is = [](std::string_view word, std::string_view prefix, std::string_view rest) {
            return word.size() == prefix.size() + rest.size() && word.starts_with(prefix) && word.ends_with(rest);
        };
        if (within.empty()) {
            if (is(name, read, "_tokens")) usage.prompt_tokens = count;
            else if (is(name, written, "_tokens")) usage.completion_tokens = count;
            else if (name == "cached_tokens" || name == "prompt_cache_hit_tokens" || name == "cache_read_input_tokens")
                raise(usage.cached_tokens);
            else if (name == "cache_creation_input_tokens") raise(usage.cache_written_tokens);
        } else if (is(within, read, "_tokens_details")) {
            if (name == "cached_tokens") raise(usage.cached_tokens);
            else if (name == "cache_write_tokens" || name == "cache_creation_tokens" ||
                     name == "cache_creation_input_tokens")
                raise(usage.cache_written_tokens);
        } else if (is(within, written, "_tokens_details") && name == "reasoning_tokens") usage.reasoning_tokens = count;
    }
};
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
Usage read_usage(const json& usage, std::string_view read, std::string_view written) {
    UsageReader reader{read, written};
    for (const auto& [name, value] : usage.items()) {
        if (value.is_object())
            for (const auto& [inner, count] : value.items()) reader.note(name, inner, wire::count_or_zero(count));
        else reader.note({}, name, wire::count_or_zero(value));
    }
    return reader.usage;
}
Usage read_usage(std::string_view usage, std::string_view read, std::string_view written, const Secret& key) {
    UsageReader reader{read, written};
    const auto note = [&reader](std::string_view within, std::string_view name, std::int64_t count) {
        reader.note(within, name, std::min(count, wire::most_count));
    };
    return scan_counts(usage, note) ? reader.usage : read_usage(wire::parse(usage, key), read, written);
}
}
