// Arguments of a tool that a modern HTTP server wants to see in headers too, so that proxies can route by them: those
// whose schema says `"x-mcp-header": "Name"` are sent as `Mcp-Param-Name`.
//
//     auto params = mcp::read_header_params(schema);           // throws mcp::BadHeaderParam
//     for (auto& [name, value] : mcp::header_params(params, arguments)) use(name + mcp::header_value(value));
//
// The rules are those of MCP 2026-07-28: a name is a token and stands once, regardless of case; the argument is a
// string, an integer or a boolean, and is reached by `properties` alone. Pure functions, for any thread.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::tools::mcp {
struct HeaderParam {
    std::string header;             // Mcp-Param-Region
    std::vector<std::string> path;  // of the argument: {"where", "region"}
};
/// A predicate for a sentence about the tool: "has an x-mcp-header that ...".
struct BadHeaderParam : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// In the order of the schema's keys. At most 64.
std::vector<HeaderParam> read_header_params(const nlohmann::json& schema);
/// Names and values of those arguments that are there and not null.
std::vector<std::pair<std::string, std::string>> header_params(const std::vector<HeaderParam>&,
                                                               const nlohmann::json& arguments);
/// As it stands in a header: printable ASCII as it is; anything else, what has blanks at its ends, and what looks like
/// an encoded value, as =?base64?...?=.
std::string header_value(std::string_view value);
}
