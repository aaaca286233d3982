// One walk finds each x-mcp-header of a schema, because a misplaced one makes the tool unusable.
#include "tools/mcp/protocol/header_params.hpp"
#include "engine/text/base64.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "tools/mcp/protocol/message.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>

namespace weft::tools::mcp {
namespace {
using nlohmann::json;
constexpr std::string_view mark = "x-mcp-header";
constexpr std::size_t most_header_params = 64;

class HeaderParamReader {
public:
    std::vector<HeaderParam> take() { return std::move(found_); }
    /// `reached`: only through `properties`.
    void look(const json& schema, bool reached) {
        if (schema.is_array())
            for (const auto& inner : schema) look(inner, false);
        if (!schema.is_object()) return;
        if (const auto at = schema.find(mark); at != schema.end()) add(*at, schema, reached);
        for (const auto& [key, value] : schema.items()) {
            if (key == "enum" || key == "const" || key == "default" || key == "examples") continue;  // values
            const bool named = key == "properties" || key == "$defs" || key == "definitions" ||
                               key == "dependentSchemas" || key == "patternProperties";
            if (!named || !value.is_object()) {
                look(value, false);
                continue;
            }
            for (const auto& [name, inner] : value.items()) {
                path_.push_back(name);
                look(inner, reached && key == "properties");
                path_.pop_back();
            }
        }
    }

private:
    [[noreturn]] static void wrong(const std::string& why) {
        throw BadHeaderParam("has an " + std::string(mark) + " that " + why);
    }
    void add(const json& value, const json& schema, bool reached) {
        const auto* name = value.get_ptr<const json::string_t*>();
        if (!name || !is_header_name(*name)) wrong("is not a name of a header");
        if (!reached || path_.empty()) wrong("stands at something else than a named argument");
        if (!fits_header(schema)) wrong("stands at something else than a string, an integer or a boolean");
        if (!names_.insert(lower(*name)).second) wrong("stands there twice: " + quoted(*name, 60));
        if (found_.size() == most_header_params) wrong("is beyond the 64 that a tool may have");
        found_.push_back({"Mcp-Param-" + *name, path_});
    }
    std::vector<HeaderParam> found_;
    std::vector<std::string> path_;
    std::set<std::string> names_;
};
std::string plain(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_float())  // 5.0 is an integer in JSON Schema
        if (const double d = value.get<double>(); std::trunc(d) == d && std::abs(d) < 9007199254740992.0)
            return std::to_string(std::int64_t(d));
    return value.dump();
}
}

bool is_header_name(std::string_view text) {
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return !text.empty() && text.size() <= 128 &&
           std::ranges::all_of(text, [&](char c) { return is_letter_or_digit(c) || others.find(c) != others.npos; });
}
bool fits_header(const json& schema) {
    const auto type = schema.find("type");
    return type != schema.end() && (*type == "string" || *type == "integer" || *type == "boolean");
}
const char* key_of_name(std::string_view method) {
    return method == mcp::method::call_tool || method == "prompts/get" ? "name"
           : method == "resources/read"                                ? "uri"
                                                                       : nullptr;
}
std::vector<HeaderParam> read_header_params(const json& schema) {
    HeaderParamReader reader;
    reader.look(schema, true);
    return reader.take();
}
std::vector<std::pair<std::string, std::string>> header_params(const std::vector<HeaderParam>& params,
                                                               const json& arguments) {
    std::vector<std::pair<std::string, std::string>> values;
    for (const auto& param : params) {
        const json* value = &arguments;
        for (const auto& step : param.path) {
            const auto at = value->is_object() ? value->find(step) : value->end();
            value = value->is_object() && at != value->end() ? &*at : nullptr;
            if (!value) break;
        }
        if (value && value->is_primitive() && !value->is_null()) values.emplace_back(param.header, plain(*value));
    }
    return values;
}
std::string header_value(std::string_view value) {
    const bool printable = std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
    const bool blank_at_end = !value.empty() && (value.front() == ' ' || value.back() == ' ');
    const bool encoded = value.starts_with("=?base64?") && value.ends_with("?=");
    if (printable && !blank_at_end && !encoded) return std::string(value);
    return "=?base64?" + base64(value) + "?=";
}
}
