// Optimised for speed: it runs once for each chunk of a stream.
#include "steps/models/protocols/parts/json_scanner.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/protocols/parts/write_json.hpp"
#include <algorithm>
#include <array>

namespace weft::models {
namespace {
constexpr int deepest_scanned = 32, most_digits = 18;

/// The number of \uXXXX, where the text is what follows the u; -1 if it is none.
int unit(std::string_view text) {
    if (text.size() < 4) return -1;
    int value = 0;
    for (int i = 0; i < 4; ++i) {
        const int digit = hex_value(text[i]);
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}
/// Decodes the escapes of a string's content. Returns false for an invalid escape.
bool unescape(std::string_view raw, std::string& text) {
    text.clear();
    for (;;) {
        const auto at = raw.find('\\');
        text += raw.substr(0, at);
        if (at == raw.npos) return true;
        raw.remove_prefix(at + 1);  // the scanner has checked that a character follows
        const char c = raw.front();
        raw.remove_prefix(1);
        switch (c) {
        case '"':
        case '\\':
        case '/': text += c; continue;
        case 'b': text += '\b'; continue;
        case 'f': text += '\f'; continue;
        case 'n': text += '\n'; continue;
        case 'r': text += '\r'; continue;
        case 't': text += '\t'; continue;
        case 'u': break;
        default: return false;
        }
        const int first = unit(raw);
        if (first < 0 || (first >= 0xDC00 && first < 0xE000)) return false;
        raw.remove_prefix(4);
        if (first < 0xD800 || first >= 0xE000) {
            append_utf8(text, char32_t(first));
            continue;
        }
        if (raw.substr(0, 2) != "\\u") return false;
        const int second = unit(raw.substr(2));
        if (second < 0xDC00 || second >= 0xE000) return false;
        raw.remove_prefix(6);
        append_utf8(text, char32_t(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)));
    }
}
}

bool JsonScanner::literal(std::string_view word) {
    skip_blanks();
    if (std::string_view(at_, std::size_t(end_ - at_)).substr(0, word.size()) != word) return false;
    at_ += word.size();
    return true;
}
bool JsonScanner::word(std::string_view& text) {
    bool escapes = false;
    return raw_string(text, escapes) && !escapes;
}
bool JsonScanner::string(std::string_view& text, std::string& decoded) {
    bool escapes = false;
    if (!raw_string(text, escapes)) return false;
    raw_ = text;
    if (!escapes) return true;
    if (!unescape(text, decoded)) return false;
    text = decoded;
    return true;
}
bool JsonScanner::integer(std::int64_t& value) {
    skip_blanks();
    const char* begin = at_;
    value = 0;
    for (; at_ < end_ && is_digit(*at_); ++at_) {
        if (at_ - begin == most_digits) return false;
        value = value * 10 + (*at_ - '0');
    }
    return at_ > begin && (*begin != '0' || at_ - begin == 1);
}
bool JsonScanner::nothing() {
    if (take('[')) return take(']');
    if (take('{')) return take('}');
    std::string_view text;
    return null() || (word(text) && text.empty());
}
bool JsonScanner::skip(int depth) {
    skip_blanks();
    if (at_ == end_ || depth > deepest_scanned) return false;
    switch (*at_) {
    case '"': {
        std::string_view text;
        std::string decoded;
        bool escapes = false;
        return raw_string(text, escapes) && (!escapes || unescape(text, decoded));
    }
    case '{': return object([&](std::string_view) { return skip(depth + 1); });
    case '[':
        ++at_;
        if (take(']')) return true;
        do {
            if (!skip(depth + 1)) return false;
        } while (take(','));
        return take(']');
    case 'n': return null();
    case 't': return literal("true");
    case 'f': return literal("false");
    default: return number();
    }
}
bool JsonScanner::raw_object(std::string_view& text) {
    skip_blanks();
    const char* begin = at_;
    if (at_ == end_ || *at_ != '{' || !skip()) return false;
    text = {begin, std::size_t(at_ - begin)};
    return true;
}
bool JsonScanner::number() {
    if (*at_ == '-') ++at_;
    std::int64_t digits = 0;
    if (at_ == end_ || *at_ < '0' || *at_ > '9' || !integer(digits)) return false;
    if (at_ == end_ || *at_ != '.') return true;
    const char* begin = ++at_;
    while (at_ < end_ && is_digit(*at_)) ++at_;
    return at_ > begin && at_ - begin <= most_digits;
}
bool JsonScanner::raw_string(std::string_view& text, bool& escapes) {
    if (!take('"')) return false;
    bool ascii = true;
    for (const char* begin = at_;; at_ += 2, escapes = true) {  // over a backslash and the character after it
        at_ += plain_prefix({at_, std::size_t(end_ - at_)}, ascii);
        if (at_ == end_) return false;
        if (*at_ == '"') {
            text = {begin, std::size_t(at_++ - begin)};
            return ascii || is_utf8(text);
        }
        if (*at_ != '\\' || end_ - at_ < 2) return false;
        if (static_cast<unsigned char>(at_[1]) >= 0x80) ascii = false;
    }
}

bool scan_counts(std::string_view object, const TakeCount& take) {
    JsonScanner in(object);
    std::array<std::string_view, 24> names;  // of the outer members, then of the present inner object's
    std::size_t known = 0;
    const auto is_new = [&](std::string_view name, std::size_t first) {
        const auto end = names.begin() + known;
        if (end == names.end() || std::find(names.begin() + first, end, name) != end) return false;
        names[known++] = name;
        return true;
    };
    const auto count = [&](std::string_view within, std::string_view name) {
        std::int64_t value = 0;
        if (!is_digit(in.next())) return in.skip();
        if (!in.integer(value)) return false;
        take(within, name, value);
        return true;
    };
    return in.object([&](std::string_view name) {
        if (!is_new(name, 0)) return false;
        if (in.next() != '{') return count({}, name);
        const auto first = known;
        const bool read = in.object([&](std::string_view inner) { return is_new(inner, first) && count(name, inner); });
        known = first;
        return read;
    }) && in.at_end();
}
}
