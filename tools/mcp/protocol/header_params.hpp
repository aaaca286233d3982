// Arguments that modern HTTP requests repeat in headers, so that proxies can route by them: an argument whose schema
// has `"x-mcp-header": "Name"` is sent as `Mcp-Param-Name`.
//
//     auto params = mcp::read_header_params(schema);           // throws mcp::BadHeaderParam
//     for (auto& [name, value] : mcp::header_params(params, arguments)) use(name + mcp::header_value(value));
//
// The rules are those of MCP 2026-07-28: a name is a token, and unique regardless of case; the argument is a string, an
// integer or a boolean, and is reached only through `properties`. Pure functions, for any thread.
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
    std::vector<std::string> path;  // path to the argument: {"where", "region"}
};
/// The part of a sentence after the tool's name: "has an x-mcp-header that ...".
struct BadHeaderParam : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Returns them in the order of the schema's keys. At most 64.
std::vector<HeaderParam> read_header_params(const nlohmann::json& schema);
/// Names and values of the arguments that are present and not null.
std::vector<std::pair<std::string, std::string>> header_params(const std::vector<HeaderParam>&,
                                                               const nlohmann::json& arguments);
/// Whether the text can be the name of a header: a token of at most 128 bytes.
bool is_header_name(std::string_view);
/// Whether a header may repeat a value of this schema: a string, an integer or a boolean.
bool fits_header(const nlohmann::json& schema);
/// The param that the header Mcp-Name repeats for this method; null: none.
const char* key_of_name(std::string_view method);
/// The value in a header: printable ASCII stays as it is; other text, text with blanks at its ends, and text that looks
/// encoded becomes =?base64?...?=.
std::string header_value(std::string_view value);
}
