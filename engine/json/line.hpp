// Writes JSON text for streams that are read by lines: server-sent events, lines of JSON, MCP messages over pipes.
//
//     out += json_line(value) + '\n';
//     out += as_one_line(stored);                 // JSON text without line breaks
//
// Many line readers also split at U+0085, U+2028 and U+2029, which JSON allows unescaped. So they are escaped.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft {
/// Invalid UTF-8 becomes U+FFFD.
std::string json_line(const nlohmann::json&);
std::string json_line(const nlohmann::ordered_json&);
std::string as_one_line(std::string json);
/// Replaces the three separators by line breaks in plain text.
std::string with_line_breaks(std::string text);
}
