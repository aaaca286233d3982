// Writes JSON as text, byte for byte like nlohmann's dump, but much faster for long strings, the largest part of a
// request. Internal to the protocols.
//
//     body += R"({"role":"user","content":)";
//     write_text(body, message.content);
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace weft::models {
/// Returns the size of the text before its first quote, backslash or control character, which JSON escapes. Clears
/// `ascii` if a byte there is not ASCII, and perhaps if one is soon after it.
std::size_t plain_prefix(std::string_view, bool& ascii);
/// Adds quotes and escapes. Ill-formed UTF-8 becomes U+FFFD.
void write_text(std::string& out, std::string_view);
void write_json(std::string& out, const nlohmann::json&);
}
