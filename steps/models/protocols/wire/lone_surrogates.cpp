// In UTF-8 a carrier is F4 8F, then A0 to AF for a first half or B0 to BF for a second half; the byte F4 is rare, so
// text without it needs only one search.
#include "steps/models/protocols/wire/lone_surrogates.hpp"
#include "engine/text/utf8.hpp"
#include <charconv>

namespace weft::models {
namespace {
constexpr unsigned first_carrier = 0x10F800, first_unit = 0xD800;
constexpr char lead = '\xF4';
constexpr std::size_t carrier_size = 4;

/// Returns the code unit of an escape that begins here; 0 if there is none.
unsigned unit_at(std::string_view text, std::size_t at) {
    unsigned unit = 0;
    if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return 0;
    const auto [end, error] = std::from_chars(text.data() + at + 2, text.data() + at + 6, unit, 16);
    return error == std::errc() && end == text.data() + at + 6 ? unit : 0;
}
/// Returns the code unit of a carrier that begins here; 0 if there is none.
unsigned carried_at(std::string_view text, std::size_t at) {
    if (text.size() < at + carrier_size || text[at] != lead || text[at + 1] != '\x8F') return 0;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    if (byte(2) < 0xA0) return 0;
    return first_unit + ((byte(2) - 0xA0u) << 6 | (byte(3) & 0x3Fu));
}
bool is_first(unsigned unit) { return unit && (unit & 0xFC00) == 0xD800; }
bool is_second(unsigned unit) { return unit && (unit & 0xFC00) == 0xDC00; }
}

std::optional<std::string> with_carried_halves(std::string_view text) {
    std::string whole;
    bool found = false;
    for (std::size_t at = 0; at < text.size();) {
        const auto unit = text[at] == '\\' ? unit_at(text, at) : 0;
        const bool pair = is_first(unit) && is_second(unit_at(text, at + 6));
        const bool half = !pair && (is_first(unit) || is_second(unit));
        const std::size_t size = pair ? 12 : unit ? 6 : text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
        const auto next = text.substr(at + size, 1);
        const bool at_edge = is_first(unit) ? next == "\"" : at > 0 && text[at - 1] == '"';
        if (half && at_edge) append_utf8(whole, first_carrier + (unit - first_unit));
        else if (half) whole += "\\ufffd";
        else whole += text.substr(at, size);
        found = found || half;
        at += size;
    }
    return found ? std::optional(std::move(whole)) : std::nullopt;
}
std::string joined_halves(std::string text) {
    if (text.find(lead) == text.npos) return text;
    std::string joined;
    for (std::size_t at = 0; at < text.size();) {
        const auto unit = carried_at(text, at), next = is_first(unit) ? carried_at(text, at + carrier_size) : 0;
        if (is_second(next)) {
            append_utf8(joined, 0x10000 + ((unit & 0x3FF) << 10 | (next & 0x3FF)));
            at += 2 * carrier_size;
        } else if (unit) {
            joined += "\xEF\xBF\xBD";
            at += carrier_size;
        } else joined += text[at++];
    }
    return joined;
}

std::string_view LoneSurrogates::pass(std::string_view delta, std::string& room) {
    if (held_.empty() && delta.find(lead) == delta.npos) return delta;
    if (delta.empty()) return {};
    std::string text = std::move(held_) + std::string(delta);
    held_.clear();
    if (text.size() >= carrier_size && is_first(carried_at(text, text.size() - carrier_size))) {
        held_ = text.substr(text.size() - carrier_size);
        text.resize(text.size() - carrier_size);
    }
    room = joined_halves(std::move(text));
    return room;
}
std::string LoneSurrogates::rest() { return joined_halves(std::move(held_)); }
}
