// The result of a call as text for the model: its texts, and a short note for each image, sound or file in place of the
// bytes.
//
//     Observation observation{mcp::result_text(result), !result.is_error};
//
// The text contains structured content, unless a text block already has the same JSON, as servers repeat it; a summary
// does not count. Hidden characters are removed. A pure function.
#pragma once
#include "tools/mcp/client/client.hpp"

namespace weft::tools::mcp {
std::string result_text(const CallResult&);
/// The prefix of a server's tool names: at most 40 letters, digits, '-' and single '_', none at its end. So tools of
/// servers with different prefixes never have the same name.
std::string tool_prefix(std::string_view server);
/// Returns PREFIX__tool: letters, digits, '_' and '-', at most 64 characters, and no name in `taken`.
std::string tool_name(std::string_view server, std::string_view tool, const std::vector<std::string>& taken);
}
