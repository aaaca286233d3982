// Checks eight bytes at a time; repairs ill-formed UTF-8, which nlohmann refuses.
#include "steps/models/protocols/parts/write_json.hpp"
#include "engine/text/utf8.hpp"
#include <bit>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

namespace weft::models {
namespace {
using nlohmann::json;

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }
constexpr std::uint64_t in_each_byte(std::uint64_t byte) { return byte * 0x0101010101010101; }
void write_escape(std::string& out, char c) {
    constexpr std::string_view short_form = "\"\\\b\t\n\f\r", letters = "\"\\btnfr";
    if (const auto at = short_form.find(c); at != short_form.npos) {
        const char escape[] = {'\\', letters[at]};
        out.append(escape, sizeof escape);
        return;
    }
    constexpr char digits[] = "0123456789abcdef";
    const char escape[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
    out.append(escape, sizeof escape);
}
void write_array(std::string& out, const json& array) {
    char before = '[';
    for (const auto& element : array) {
        out += before;
        write_json(out, element);
        before = ',';
    }
    out += array.empty() ? "[]" : "]";
}
void write_object(std::string& out, const json& object) {
    char before = '{';
    for (const auto& [name, value] : object.get_ref<const json::object_t&>()) {
        out += before;
        write_text(out, name);
        out += ':';
        write_json(out, value);
        before = ',';
    }
    out += object.empty() ? "{}" : "}";
}
}

// Eight bytes at a time: the highest bit of each marks a byte to escape.
std::size_t plain_prefix(std::string_view text, bool& ascii) {
    constexpr auto ones = in_each_byte(1), highest = in_each_byte(0x80);
    const auto zero_byte = [](std::uint64_t word) { return (word - ones) & ~word & highest; };
    std::size_t at = 0;
    for (std::uint64_t word; text.size() - at >= sizeof word; at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if (word & highest) ascii = false;
        const auto controls = (word - in_each_byte(0x20)) & ~word & highest;
        const auto found = controls | zero_byte(word ^ in_each_byte('"')) | zero_byte(word ^ in_each_byte('\\'));
        if (found && std::endian::native == std::endian::little)  // the lowest bit belongs to the first such byte
            return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
        if (found) break;
    }
    for (; at < text.size() && is_plain(text[at]); ++at)
        if (static_cast<unsigned char>(text[at]) >= 0x80) ascii = false;
    return at;
}
void write_text(std::string& out, std::string_view text) {
    if (!is_utf8(text)) return write_text(out, repair_utf8(text));
    out += '"';
    for (bool ascii = true;;) {
        const auto n = plain_prefix(text, ascii);
        out += text.substr(0, n);
        if (n == text.size()) break;
        write_escape(out, text[n]);
        text.remove_prefix(n + 1);
    }
    out += '"';
}
void write_json(std::string& out, const json& value) {
    switch (value.type()) {
    case json::value_t::string: return write_text(out, value.get_ref<const std::string&>());
    case json::value_t::array: return write_array(out, value);
    case json::value_t::object: return write_object(out, value);
    default: out += value.dump();
    }
}
}
