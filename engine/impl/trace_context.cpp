// Checks only the form: whether such a trace exists is unknown.
#include "engine/trace_context.hpp"
#include "engine/text/characters.hpp"
#include <algorithm>

namespace weft {
namespace {
constexpr std::size_t longest_tracestate = 512;
bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return is_hex_digit(c) && !is_upper(c); });
}
bool is_id(std::string_view text) { return is_hex(text) && text.find_first_not_of('0') != text.npos; }
}
bool is_traceparent(std::string_view text) noexcept {
    if (text.size() != 55 || text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
    const auto version = text.substr(0, 2);
    return is_hex(version) && version != "ff" && is_id(text.substr(3, 32)) && is_id(text.substr(36, 16)) &&
           is_hex(text.substr(53));
}
bool is_tracestate(std::string_view text) noexcept {
    return text.size() <= longest_tracestate &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}
}
