// What a model is told of the result of a call: the texts, and a short note for each image, sound or file, whose bytes
// would tell it nothing.
//
//     Observation observation{mcp::result_text(result), !result.is_error};
//
// Structured content is told only if there is no text, because servers repeat it as text. Hidden characters are taken
// out. Pure.
#pragma once
#include "tools/mcp/client.hpp"

namespace weft::tools::mcp {
std::string result_text(const CallResult&);
/// server__tool, of letters, digits, '_' and '-', 64 at most, and none of those that are taken.
std::string tool_name(std::string_view server, std::string_view tool, const std::vector<std::string>& taken);
}
