// Texts about a tool are cleaned first; the fingerprint covers the server's whole description.
#include "tools/mcp/client/tool_info.hpp"
#include "engine/error.hpp"
#include "engine/text/hidden.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "tools/mcp/protocol/message.hpp"
#include "tools/schema/arguments.hpp"
#include "tools/schema/pattern.hpp"
#include "tools/sha256.hpp"
#include <algorithm>
#include <re2/re2.h>

namespace weft::tools::mcp {
namespace {
using nlohmann::json;
constexpr std::size_t deepest_tool = 64;
constexpr std::size_t most_tool_bytes = 256u << 10, most_subschemas = 5000, longest_name = 128,
                      longest_description = 16u << 10;

/// Why a tool is unusable: the part of a sentence after "it".
struct UnusableTool : std::runtime_error {
    using std::runtime_error::runtime_error;
};

bool hides_something(std::string_view text) { return text.find_first_of("\n\t") != text.npos || bare(text) != text; }
/// Printed JSON escapes control characters, but not other hidden characters.
bool hides_in_json(std::string_view text) {
    HiddenFinder finder;
    for (bool cut = false; !text.empty();) {
        std::uint32_t code = 0;
        const auto length = decode_utf8(text, code, cut);
        if (!length || (finder.is_hidden_here(code) && code > 0x7F)) return true;
        text.remove_prefix(length);
    }
    return false;
}
void clean(json& value, bool literal) {
    if (auto* text = value.get_ptr<json::string_t*>()) {
        if (!hides_in_json(*text)) return;
        if (literal) throw UnusableTool("has hidden characters in a value of its schema");
        *text = without_hidden(*text);
    } else if (value.is_array()) {
        for (auto& inner : value) clean(inner, literal);
    } else if (value.is_object()) {
        for (auto& [key, inner] : value.get_ref<json::object_t&>()) {
            if (hides_something(key)) throw UnusableTool("has hidden characters in a name of its schema");
            clean(inner, literal || key == "enum" || key == "const" || key == "default" || key == "pattern" ||
                             key == "required" || key == "$ref");
        }
    }
}
bool is_deeper(const json& value, std::size_t most) {
    if (!value.is_structured()) return false;
    return most == 0 || std::ranges::any_of(value, [most](const json& inner) { return is_deeper(inner, most - 1); });
}
bool is_known_dialect(std::string_view uri) {
    static const re2::RE2 known("(https?://)?json-schema[.]org/(draft/2020-12/|draft/2019-09/|draft-0[467]/)?schema#?");
    return re2::RE2::FullMatch(re2::StringPiece(uri.data(), uri.size()), known);
}
/// Generators for Gemini write "OBJECT" for "object".
void lower_type(json& type) {
    const auto* text = type.get_ptr<const json::string_t*>();
    if (!text) return;
    for (const char* known : {"object", "array", "string", "number", "integer", "boolean", "null"})
        if (*text != known && lower(*text) == known) {
            type = known;
            return;
        }
}
/// Corrects unambiguous errors: a model's provider would refuse the schema, and all tools with it.
void mend(json& schema) {
    if (const auto type = schema.find("type"); type != schema.end()) {
        if (type->is_null()) schema.erase(type);
        else if (type->is_array())
            for (auto& each : *type) lower_type(each);
        else lower_type(*type);
    }
    for (const char* key : {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
        if (const auto at = schema.find(key); at != schema.end()) {
            if (at->is_null()) {
                schema.erase(at);
                continue;
            }
            if (is_empty_array(*at)) *at = json::object();  // an empty object from PHP
            if (at->is_object())
                for (auto& [name, inner] : at->get_ref<json::object_t&>())
                    if (is_empty_array(inner)) inner = json::object();
        }
    for (const char* key : {"items", "additionalProperties"})
        if (const auto at = schema.find(key); at != schema.end() && is_empty_array(*at)) *at = json::object();
    if (const auto required = schema.find("required"); required != schema.end() && required->is_null())
        schema.erase(required);
}
/// Visits each place where a schema may be, inner ones first. The walk of schema_check.hpp ends at the first part that
/// cannot be validated. The reader of messages limits the depth.
template <class Act> void each_schema(json& schema, const Act& act, bool named = false) {
    if (schema.is_array())
        for (auto& inner : schema) each_schema(inner, act);
    if (!schema.is_object()) return;
    for (auto& [key, inner] : schema.get_ref<json::object_t&>()) {
        if (!named && (key == "enum" || key == "const" || key == "default" || key == "examples")) continue;  // values
        const bool names = key == "properties" || key == "$defs" || key == "definitions" || key == "dependentSchemas" ||
                           key == "dependencies" || key == "patternProperties";
        each_schema(inner, act, !named && names);
    }
    if (!named) act(schema);
}
/// Throws UnusableTool. `what`: "arguments", "results".
void check_schema(json& schema, const std::string& what) {
    each_schema(schema, mend);
    clean(schema, false);
    if (const auto dialect = schema.find("$schema"); dialect != schema.end()) {
        const auto* uri = dialect->get_ptr<const json::string_t*>();
        if (!uri || !is_known_dialect(*uri))
            throw UnusableTool("has a schema of its " + what +
                               " in an unknown dialect: " + (uri ? quoted(*uri, 120) : std::string("no text")));
    }
    std::size_t parts = 0;
    each_schema(schema, [&](const json& inner) {
        if (++parts > most_subschemas) throw UnusableTool("has a schema of its " + what + " with too many parts");
        for (const char* key : reference_keys)
            if (const auto ref = inner.find(key); ref != inner.end()) {
                const auto* text = ref->get_ptr<const json::string_t*>();
                if (!text || !text->starts_with('#'))
                    throw UnusableTool("has a schema of its " + what + " that refers to something outside of it (" +
                                       (text ? quoted(*text, 120) : std::string("no text")) +
                                       "), which is not fetched");
            }
    });
}
/// The schema of the arguments. A missing schema, {} and a schema without a type become the schema of an object. Throws
/// Unusable for another type.
json arguments_of(const json& entry) {
    auto schema = entry.value("inputSchema", json());
    if (schema.is_null() || is_empty_array(schema)) schema = json::object();
    if (schema.is_object()) {
        mend(schema);
        auto& type = schema["type"];
        const bool may_be = type.is_array() && std::ranges::find(type, json("object")) != type.end();
        if (type.is_null() || is_empty_array(type) || may_be) type = "object";
        if (type == "object") return schema;
    }
    throw UnusableTool("has no inputSchema with \"type\": \"object\"");
}
std::string text_at(const json& entry, const char* key, std::size_t most) {
    const auto at = entry.find(key);
    const auto* text = at == entry.end() ? nullptr : at->get_ptr<const json::string_t*>();
    if (!text) return {};
    auto cleaned = without_hidden(*text);
    if (cleaned.size() <= most) return cleaned;
    return std::string(utf8_cut(cleaned, most)) + "...";
}
bool hint(const json& hints, const char* key, bool otherwise) {
    const auto at = hints.find(key);
    return at != hints.end() && at->is_boolean() ? at->get<bool>() : otherwise;
}
ToolInfo read_usable(const json& entry, bool over_http) {
    ToolInfo tool;
    tool.name = entry["name"];
    if (tool.name.size() > longest_name || hides_something(tool.name))
        throw UnusableTool("has a name that is too long or has hidden characters");
    if (is_deeper(entry, deepest_tool)) throw UnusableTool("has a schema with more than 64 levels of nesting");
    if (entry.dump().size() > most_tool_bytes) throw UnusableTool("has a description and schemas of more than 256 KiB");
    tool.arguments = arguments_of(entry);
    check_schema(tool.arguments, "arguments");
    if (const auto output = entry.find("outputSchema");
        output != entry.end() && output->is_object() && !output->empty()) {
        tool.output = *output;
        check_schema(tool.output, "results");
    }
    if (const auto execution = entry.find("execution"); execution != entry.end() && execution->is_object())
        if (execution->value("taskSupport", json()) == "required")
            throw UnusableTool("runs as a task only, which is not supported");
    if (over_http) try {
            tool.headers = read_header_params(tool.arguments);
        } catch (const BadHeaderParam& bad) { throw UnusableTool(bad.what()); }
    tool.title = text_at(entry, "title", 200);
    tool.description = text_at(entry, "description", longest_description);
    json told = {{"name", entry["name"]}};
    for (const char* key : {"title", "description", "inputSchema", "outputSchema", "annotations"})
        if (entry.contains(key)) told[key] = entry[key];
    tool.fingerprint = sha256(told.dump(-1, ' ', false, json::error_handler_t::replace));
    if (const auto hints = entry.find("annotations"); hints != entry.end() && hints->is_object()) {
        if (tool.title.empty()) tool.title = text_at(*hints, "title", 200);
        tool.hints = {hint(*hints, "readOnlyHint", false), hint(*hints, "destructiveHint", true),
                      hint(*hints, "idempotentHint", false), hint(*hints, "openWorldHint", true)};
    }
    return tool;
}
/// Removes keywords that valijson, which knows draft 7, does not know or would misunderstand.
void weaken(json& schema) {
    if (const auto pattern = schema.find("pattern"); pattern != schema.end()) try {
            if (!pattern->is_string()) throw BadPattern("");
            Pattern(pattern->get<std::string>());
        } catch (const BadPattern&) { schema.erase("pattern"); }
    if (schema.erase("patternProperties")) schema.erase("additionalProperties");
    if (schema.contains("prefixItems")) {
        schema.erase("items");
        schema.erase("prefixItems");
    }
    if (const auto least = schema.find("multipleOf"); least != schema.end())
        if (!least->is_number() || !(least->get<double>() > 0)) schema.erase("multipleOf");
    if (const auto ref = schema.find("$ref"); ref != schema.end())
        if (const auto* text = ref->get_ptr<const json::string_t*>();
            !text || (*text != "#" && !text->starts_with("#/")))
            schema.erase("$ref");  // an anchor
    for (const char* key : {"$id", "id", "$schema", "$anchor", "$dynamicRef", "$recursiveRef", "$dynamicAnchor"})
        if (const auto at = schema.find(key); at != schema.end() && at->is_string()) schema.erase(key);
}
}

std::variant<ToolInfo, std::string> read_tool(const json& entry, bool over_http) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string() ||
        entry["name"].get_ref<const json::string_t&>().empty())
        return std::string("a tool without a name is left out");
    try {
        return read_usable(entry, over_http);
    } catch (const UnusableTool& why) {
        return "the tool \"" + quoted(entry["name"].get_ref<const json::string_t&>(), 80) + "\" is left out: it " +
               why.what();
    }
}
json checkable(json schema, bool of_arguments) {
    each_schema(schema, weaken);
    try {
        if (of_arguments) Validator probe(schema);
        else Validator probe(schema, "result");
        return schema;
    } catch (const Error&) { return of_arguments ? json{{"type", "object"}} : json::object(); }
}
}
