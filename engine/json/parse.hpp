// Parses untrusted JSON text strictly: one value, no repeated keys, bounded depth and length, numbers within a double
// or 64 bits. NaN and Infinity are not JSON. Half a surrogate pair, the rest of a cut character, becomes U+FFFD.
//
//     auto body = parse_json(text);                           // throws Error{bad_json} with error and place
//     auto arguments = parse_json(text, {.bytes = 1 << 20, .depth = 64});
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

// Compiled once, in engine/json/parse.cpp, for all that write JSON: docs/decisions/0022.
extern template class nlohmann::detail::serializer<nlohmann::json>;

namespace weft {
struct JsonLimits {
    std::size_t bytes = 16u << 20;
    std::size_t depth = 64;  // nested arrays and objects
    bool exact = false;      // also refuses integers beyond 64 bits, which a double would round
    bool shortens = false;   // replaces an array or object that is too deep by the text too_deep
};
inline constexpr std::string_view too_deep = "[nested too deeply to be read]";
nlohmann::json parse_json(std::string_view text, JsonLimits limits = {});
}
