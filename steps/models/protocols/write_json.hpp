// JSON as text: to the byte what nlohmann's dump gives, but much faster with long strings, which most of a request is.
// Internal to the protocols.
//
//     body += R"({"role":"user","content":)";
//     write_text(body, message.content);
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace weft::models {
/// In quotes, with escapes. Ill-formed UTF-8 becomes U+FFFD.
void write_text(std::string& out, std::string_view);
void write_json(std::string& out, const nlohmann::json&);
}
