// JSON text for streams that are read line by line: server-sent events, lines of JSON, messages of MCP over pipes.
//
//     out += json_line(value) + '\n';
//     out += as_one_line(stored);                 // of JSON text that is one line by JSON's own rules already
//
// Many readers of lines also divide at U+0085, U+2028 and U+2029, which JSON may have as they are. So they are escaped.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft {
/// Bytes that are not UTF-8 become U+FFFD.
std::string json_line(const nlohmann::json&);
std::string json_line(const nlohmann::ordered_json&);
std::string as_one_line(std::string json);
/// Plain text with a line break for each of the three.
std::string with_line_breaks(std::string text);
}
