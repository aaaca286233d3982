// JSON text that a stranger wrote, read strictly: one value and nothing behind it, each key once, depth and length
// bounded, numbers that a double or 64 bits can hold. NaN and Infinity are not JSON. Half a surrogate pair, which is
// what is left of a character that was cut, becomes U+FFFD.
//
//     auto body = parse_json(text);                           // throws Error{bad_json} that says what and where
//     auto arguments = parse_json(text, {.bytes = 1 << 20, .depth = 64});
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace weft {
struct JsonLimits {
    std::size_t bytes = 16u << 20;
    std::size_t depth = 64;  // of arrays and objects in each other
    bool exact = false;      // refuse also integers beyond 64 bits, which a double would round
    bool shortens = false;   // an array or object that is too deep is not refused: it becomes the text too_deep
};
inline constexpr std::string_view too_deep = "[nested too deeply to be read]";
nlohmann::json parse_json(std::string_view text, JsonLimits limits = {});
}
