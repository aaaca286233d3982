// What a server says of one of its tools, checked and cleaned: what is not plainly usable is rejected by a sentence.
//
//     auto read = mcp::read_tool(entry, true);
//     if (auto* tool = std::get_if<mcp::ToolInfo>(&read)) use(tool->name);
//     else use(std::get<std::string>(read));    // the tool "x" is left out: it ...
//
// A schema of arguments that is missing or has no type is one of an object; "OBJECT" is "object", and [] is {}.
// Rejected: a schema of arguments that is of something else, that refers to anything outside of itself (nothing is ever
// fetched), that is in an unknown dialect, or that is too large; over HTTP, marks for headers that break their rules; a
// tool that runs as a task only; hidden characters in a name. Texts lose their hidden characters
// (engine/text/hidden.hpp). Everything else of a schema stays as it is, because the model is shown it. Pure functions.
#pragma once
#include "tools/mcp/protocol/header_params.hpp"
#include <nlohmann/json.hpp>
#include <variant>

namespace weft::tools::mcp {
/// What the server says of the tool's nature. Only a server that is trusted is believed.
struct Hints {
    bool read_only = false, destructive = true, idempotent = false, open_world = true;
};
struct ToolInfo {
    std::string name;  // as the server knows it
    std::string title, description;
    nlohmann::json arguments;  // schema
    nlohmann::json output;     // schema; null: there is none
    Hints hints;
    std::vector<HeaderParam> headers;  // empty except for HTTP
    std::string fingerprint;           // of all that a person or a model was told of it
};
std::variant<ToolInfo, std::string> read_tool(const nlohmann::json& entry, bool over_http);

/// What leads from a schema to another one.
inline constexpr const char* reference_keys[] = {"$ref", "$dynamicRef", "$recursiveRef"};

/// The part of a schema that can be validated here: without patterns that are not supported, without
/// patternProperties, and so on. Of a schema that cannot be validated at all: any object, or anything.
nlohmann::json checkable(nlohmann::json schema, bool of_arguments);
}
