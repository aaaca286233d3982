// A server's description of a tool, checked and cleaned: a sentence explains why a tool is rejected.
//
//     auto read = mcp::read_tool(entry, true);
//     if (auto* tool = std::get_if<mcp::ToolInfo>(&read)) use(tool->name);
//     else use(std::get<std::string>(read));    // the tool "x" is left out: it ...
//
// A missing or untyped schema of arguments becomes that of an object; "OBJECT" becomes "object", and [] becomes {}.
// Rejected are: a schema of arguments for another type, with an external reference (none is ever fetched), in an
// unknown dialect, or too large; over HTTP, invalid marks for headers; a tool that runs only as a task; hidden
// characters in a name. Hidden characters are removed from texts (engine/text/hidden.hpp). The rest of a schema stays
// unchanged for the model. Pure functions.
#pragma once
#include "tools/mcp/protocol/header_params.hpp"
#include <nlohmann/json.hpp>
#include <variant>

namespace weft::tools::mcp {
/// The server's hints about the tool; believe them only if the server is trusted.
struct ToolHints {
    bool read_only = false, destructive = true, idempotent = false, open_world = true;
};
struct ToolInfo {
    std::string name;  // the server's name for the tool
    std::string title, description;
    nlohmann::json arguments;  // schema
    nlohmann::json output;     // schema; null: none
    ToolHints hints;
    std::vector<HeaderParam> headers;  // empty without HTTP
    std::string fingerprint;           // covers all texts about the tool for a person or a model
};
std::variant<ToolInfo, std::string> read_tool(const nlohmann::json& entry, bool over_http);

/// Keywords that refer from a schema to another one.
inline constexpr const char* reference_keys[] = {"$ref", "$dynamicRef", "$recursiveRef"};

/// The part of a schema that the client can validate: without unsupported patterns, patternProperties, and so on. For a
/// schema that cannot be validated: any object, or any value.
nlohmann::json checkable(nlohmann::json schema, bool of_arguments);
}
