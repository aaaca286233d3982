// A quote inside a string is often not escaped. The following characters, of bounded number, decide whether it ends the
// string.
#include "steps/agents/text/literals.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

namespace weft::agents {
namespace {

/// True also for a byte of a letter beyond ASCII.
bool is_part_of_word(char c) { return is_letter_or_digit(c) || (c & 0x80) != 0; }
void check_range(const std::string& n, bool whole, std::size_t begin) {
    const char *first = n.data(), *last = first + n.size();
    std::int64_t small = 0;
    std::uint64_t big = 0;
    double real = 0;
    if (whole ? std::from_chars(first, last, small).ec != std::errc() &&
                    std::from_chars(first, last, big).ec != std::errc()
              : std::from_chars(first, last, real).ec != std::errc() || !std::isfinite(real))
        throw RefusedLiteral{begin, "this number is out of range; as text it may have any number of digits"};
}
}

std::string sentence(std::string_view text, const RefusedLiteral& refused) {
    const auto at = std::min(refused.at, text.size());
    const auto before = text.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n');
    const auto begin = before.rfind('\n') + 1;  // npos + 1 is 0
    auto near = text.substr(at, max_quoted + 4);
    near = near.substr(0, near.find('\n'));
    near = utf8_cut(near, max_quoted);
    auto out = refused.why + " (line " + std::to_string(line + 1) + ", column " + std::to_string(at - begin + 1);
    if (!near.empty()) out += ", at: " + repair_utf8(near);
    return out + ")";
}
void append_quoted(std::string& out, std::string_view text) {
    static constexpr char hex[] = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') (out += '\\') += c;
        else if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else if (c == '\r') out += "\\r";
        else if (byte < 0x20 || byte == 0x7F) ((out += "\\u00") += hex[byte >> 4]) += hex[byte & 15];
        else out += c;
    }
    out += '"';
}
std::string_view Literals::constant(std::string_view word) const {
    if (word == "true" || word == "True") return "true";
    if (word == "false" || word == "False") return "false";
    if (word == "null" || word == "None") return "null";
    if (word == "NaN" || word == "nan" || word == "Infinity" || word == "inf")
        refuse(start_, "a number must be finite");
    return {};
}
std::string Literals::string() {
    const char quote = peek();
    if (peek(1) == quote && peek(2) == quote) return in_three_quotes();
    const auto begin = position_++;
    std::string out;
    backslash_ = escape_ = text_.size();
    for (;;) {
        if (at_end()) refuse(begin, "the text that begins here is not closed");
        const bool ends = peek() == quote && ends_text(quote);
        if (!take(quote)) string_part(quote, out);
        else if (ends) break;
        else out += quote;
    }
    refuse_mixed_backslashes();
    return out;
}
/// Refuses C:\Users\new, where the first backslash would be text, and the second one a line break.
void Literals::refuse_mixed_backslashes() const {
    if (backslash_ != text_.size() && escape_ != text_.size())
        refuse(backslash_,
               "this backslash begins no escape, and another one in the same text does: write each backslash "
               "that is meant as such as \\\\");
}
std::string Literals::in_three_quotes() {
    const auto begin = position_;
    const char quote = peek();
    position_ += 3;
    std::string out;
    backslash_ = escape_ = text_.size();
    while (!(peek() == quote && peek(1) == quote && peek(2) == quote)) {
        if (at_end()) refuse(begin, "the text that begins here is not closed");
        if (take(quote)) out += quote;
        else string_part(quote, out);
    }
    position_ += 3;
    refuse_mixed_backslashes();
    return out;
}
/// True if this quote ends the string. The function examines the blanks after the quote; no other quote examines the
/// same blanks.
bool Literals::ends_text(char quote) {
    if (quote == '"') return true;
    if (apostrophe_ == Apostrophe::between_letters)
        return !is_part_of_word(text_[position_ - 1]) || !is_part_of_word(peek(1));
    std::size_t n = 1;
    while (position_ + n < text_.size() && is_blank(peek(n))) ++n;
    ahead_ += n - 1;
    if (position_ + n == text_.size()) return true;
    const char next = peek(n);
    if (is_quote(next)) return n > 1;  // else it is doubled, as in SQL; here only a comma can be missing
    const bool comment = next == '#' || (next == '/' && (peek(n + 1) == '/' || peek(n + 1) == '*'));
    if (comment) {  // may be the rest of the string, if the string has another quote
        const auto end = std::min(text_.find_first_of("'\n", position_ + n), text_.size());
        ahead_ += end - position_ - n;
        return end == text_.size() || text_[end] == '\n';
    }
    return next == ',' || next == '}' || next == ']' || next == ':';
}
void Literals::string_part(char quote, std::string& out) {
    if (take('\\')) return escape(out);
    const auto end = std::min(text_.find_first_of(quote == '"' ? "\"\\" : "'\\", position_), text_.size());
    const auto part = text_.substr(position_, end - position_);
    const auto valid = utf8_prefix(part);
    position_ += valid;
    if (valid < part.size()) refuse(position_, "this is not valid UTF-8");
    out += part;
}
void Literals::escape(std::string& out) {
    const auto begin = position_ - 1;
    if (at_end()) refuse(begin, "the text ends too early");
    const auto escape_before = std::exchange(escape_, begin);
    switch (const char c = text_[position_++]) {
    case 'n': out += '\n'; return;
    case 't': out += '\t'; return;
    case 'r': out += '\r'; return;
    case 'b': out += '\b'; return;
    case 'f': out += '\f'; return;
    case '"':
    case '\'':
    case '/':
    case '\\':
        out += c;
        escape_ = escape_before;  // the character is the same in every reading
        return;
    case '\n': return;  // the line continues
    case 'x':
        if (is_hex_digit(peek()) && is_hex_digit(peek(1))) return append_utf8(out, hex(begin, 2));
        break;
    case 'u':
        if (is_hex_digit(peek())) return append_utf8(out, unicode(begin));
        break;
    }
    out += '\\';  // the backslash stands for itself, as in C:\Users or \d+
    escape_ = escape_before;
    backslash_ = begin;
    position_ = begin + 1;
}
char32_t Literals::unicode(std::size_t begin) {
    auto code = hex(begin, 4);
    if (code >= 0xD800 && code < 0xDC00 && take('\\') && take('u')) {
        const auto low = hex(begin, 4);
        if (low < 0xDC00 || low > 0xDFFF) refuse(begin, "this is half a character");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xD800 && code < 0xE000) refuse(begin, "this is half a character");
    return code;
}
char32_t Literals::hex(std::size_t begin, std::size_t digits) {
    std::uint32_t code = 0;
    const auto part = text_.substr(position_, digits);
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), code, 16);
    if (error != std::errc() || part.size() < digits || end != part.data() + digits)
        refuse(begin, "hexadecimal digits are missing in this escape; a backslash itself is written \\\\");
    position_ += digits;
    return code;
}
void Literals::digits(std::string& out, std::size_t begin) {
    if (!is_digit(peek())) refuse(begin, "this is not a number");
    while (is_digit(peek())) out += text_[position_++];
}
std::string Literals::number() {
    const auto begin = position_;
    std::string n;
    if (take('-')) n = "-";
    else take('+');
    const bool bare = peek() == '.';  // .5 is 0.5
    if (bare) n += '0';
    else if (peek() == '0' && is_digit(peek(1))) refuse(begin, "a number must not begin with a needless 0");
    else digits(n, begin);
    bool whole = true;
    if (take('.')) {
        whole = false;
        n += '.';
        if (bare || is_digit(peek())) digits(n, begin);
        else n += '0';  // 5. is 5.0
    }
    if (peek() == 'e' || peek() == 'E') {
        whole = false;
        n += text_[position_++];
        if (peek() == '+' || peek() == '-') n += text_[position_++];
        digits(n, begin);
    }
    if (is_word(peek()) || peek() == '.') refuse(begin, "this is not a number; text goes between double quotes");
    check_range(n, whole, begin);
    return n;
}
}
