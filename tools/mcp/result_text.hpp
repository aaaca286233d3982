// What a model is told of the result of a call: the texts, and a short note for each image, sound or file, whose bytes
// would tell it nothing.
//
//     Observation observation{mcp::result_text(result), !result.is_error};
//
// Structured content is told unless a text is that JSON already, as servers repeat it: a text that only sums it up does
// not hold its data. Hidden characters are taken out. Pure.
#pragma once
#include "tools/mcp/client/client.hpp"

namespace weft::tools::mcp {
std::string result_text(const CallResult&);
/// What the names of a server's tools begin with: at most 40 letters, digits, '-' and single '_', none at its end. So
/// two servers with different prefixes never have tools of one name.
std::string tool_prefix(std::string_view server);
/// PREFIX__tool, of letters, digits, '_' and '-', 64 at most, and none of those that are taken.
std::string tool_name(std::string_view server, std::string_view tool, const std::vector<std::string>& taken);
}
