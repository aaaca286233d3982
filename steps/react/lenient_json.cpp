#include "steps/react/lenient_json.hpp"
#include "engine/utf8.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>

namespace weft::steps {
namespace {
constexpr std::size_t max_size = 1 << 20;
constexpr int max_depth = 64;
constexpr std::size_t max_shown = 40;

struct Refused {
    std::size_t at;
    std::string why;
};
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

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

void append_character(std::string& out, char32_t code) {
    const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) return put(code);
    if (code < 0x800) put(0xC0 | code >> 6);
    else if (code < 0x10000) put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F));
    else put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}
    std::string object() {
        skip_fence();
        skip_blanks();
        if (at_end()) return "{}";
        if (peek() == '{') value(1);
        else if (const auto word = take_word(); word == "null" || word == "None") out_ = "{}";
        else refuse(start_, "the input must be a JSON object of named arguments, such as {\"name\": \"value\"}");
        skip_blanks();
        skip_end();
        if (!at_end()) refuse(position_, "there is text after the end of the JSON object");
        return std::move(out_);
    }
    std::size_t position() const { return position_; }

private:
    [[noreturn]] static void refuse(std::size_t at, std::string why) { throw Refused{at, std::move(why)}; }
    bool at_end() const { return position_ == text_.size(); }
    char peek(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }
    bool take(char c) {
        if (at_end() || peek() != c) return false;
        ++position_;
        return true;
    }
    std::string_view take_word() {
        start_ = position_;
        while (!at_end() && is_word(peek())) ++position_;
        return text_.substr(start_, position_ - start_);
    }
    void skip_line() {
        while (!at_end() && peek() != '\n') ++position_;
    }
    /// ``` or ```json before the object, alone on its line or not, or a single back-tick.
    void skip_fence() {
        while (!at_end() && is_blank(peek())) ++position_;
        if (peek() != '`') return;
        while (take('`')) {}
        if (is_letter(peek())) {
            const auto word = take_word();
            if (word != "json" && word != "json5" && word != "python" && word != "py" && word != "javascript" &&
                word != "js" && word != "text")
                position_ = start_;
        }
    }
    void skip_end() {  // what closes a fence or a bold line, or ends a statement
        while (!at_end() && (peek() == '`' || peek() == ';' || peek() == '*' || is_blank(peek()))) ++position_;
    }
    void skip_blanks() {
        while (!at_end()) {
            if (is_blank(peek())) ++position_;
            else if (peek() == '#' || (peek() == '/' && peek(1) == '/')) skip_line();
            else if (peek() == '/' && peek(1) == '*') {
                const auto begin = position_;
                for (position_ += 2; !(peek() == '*' && peek(1) == '/'); ++position_)
                    if (at_end()) refuse(begin, "a comment is not closed");
                position_ += 2;
            } else if (text_.substr(position_).starts_with("\xC2\xA0")) position_ += 2;  // a no-break space
            else return;
        }
    }
    void value(int depth) {
        skip_blanks();
        if (at_end()) refuse(position_, "a value is missing: the text ends too early");
        if (peek() == '{' || peek() == '[') {
            if (depth > max_depth) refuse(position_, "there are more than 64 levels of brackets");
            return take('{') ? members(depth) : elements(depth);
        }
        if (peek() == '"' || peek() == '\'') return append_quoted(out_, string());
        if (is_digit(peek()) || peek() == '-' || peek() == '+' || peek() == '.') return number();
        const auto word = take_word();
        if (word == "true" || word == "True") out_ += "true";
        else if (word == "false" || word == "False") out_ += "false";
        else if (word == "null" || word == "None") out_ += "null";
        else if (word == "NaN" || word == "nan" || word == "Infinity" || word == "inf")
            refuse(start_, "a number must be finite");
        else refuse(start_, "a value is expected here: text goes between double quotes");
    }
    void members(int depth) {
        const auto begin = position_ - 1;
        std::set<std::string> names;
        out_ += '{';
        for (skip_blanks(); !take('}'); skip_blanks()) {
            if (at_end()) refuse(begin, "the object that begins here is not closed");
            const auto where = position_;
            std::string name;
            if (peek() == '"' || peek() == '\'') name = string();
            else if (is_letter(peek())) name = take_word();
            else refuse(where, "a name in double quotes is expected here");
            if (!names.insert(name).second)
                refuse(where, "the name \"" + name.substr(0, max_shown) + "\" occurs twice");
            if (names.size() > 1) out_ += ',';
            append_quoted(out_, name);
            skip_blanks();
            if (!take(':')) refuse(position_, "a colon is expected after a name");
            out_ += ':';
            value(depth + 1);
            skip_blanks();
            if (!take(',') && peek() != '}') refuse(position_, separator("object", begin));
        }
        out_ += '}';
    }
    void elements(int depth) {
        take('[');
        const auto begin = position_ - 1;
        bool first = true;
        out_ += '[';
        for (skip_blanks(); !take(']'); skip_blanks()) {
            if (at_end()) refuse(begin, "the list that begins here is not closed");
            if (!first) out_ += ',';
            first = false;
            value(depth + 1);
            skip_blanks();
            if (!take(',') && peek() != ']') refuse(position_, separator("list", begin));
        }
        out_ += ']';
    }
    std::string separator(const char* what, std::size_t begin) {
        if (at_end()) refuse(begin, std::string("the ") + what + " that begins here is not closed");
        return std::string("a comma or the end of the ") + what +
               " is expected here; a quote inside of text is written \\\"";
    }
    std::string string() {
        const auto begin = position_;
        const char quote = text_[position_++];
        std::string out;
        while (!take(quote)) {
            if (at_end()) refuse(begin, "the text that begins here is not closed");
            if (take('\\')) {
                escape(out);
                continue;
            }
            const auto end = std::min(text_.find_first_of(quote == '"' ? "\"\\" : "'\\", position_), text_.size());
            const auto part = text_.substr(position_, end - position_);
            const auto valid = utf8_prefix(part);
            position_ += valid;
            if (valid < part.size()) refuse(position_, "this is not valid UTF-8");
            out += part;
        }
        return out;
    }
    void escape(std::string& out) {
        const auto begin = position_ - 1;
        if (at_end()) refuse(begin, "the text ends too early");
        switch (const char c = text_[position_++]) {
        case 'n': out += '\n'; return;
        case 't': out += '\t'; return;
        case 'r': out += '\r'; return;
        case 'b': out += '\b'; return;
        case 'f': out += '\f'; return;
        case '"':
        case '\'':
        case '/':
        case '\\': out += c; return;
        case '\n': return;  // the line goes on
        case 'x': return append_character(out, hex(begin, 2));
        case 'u': break;
        default: refuse(begin, "this escape is unknown; a backslash itself is written \\\\");
        }
        auto code = hex(begin, 4);
        if (code >= 0xD800 && code < 0xDC00 && take('\\') && take('u')) {
            const auto low = hex(begin, 4);
            if (low < 0xDC00 || low > 0xDFFF) refuse(begin, "this is half a character");
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        } else if (code >= 0xD800 && code < 0xE000) refuse(begin, "this is half a character");
        append_character(out, code);
    }
    char32_t hex(std::size_t begin, std::size_t digits) {
        std::uint32_t code = 0;
        const auto part = text_.substr(position_, digits);
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), code, 16);
        if (error != std::errc() || part.size() < digits || end != part.data() + digits)
            refuse(begin, "hexadecimal digits are missing in this escape");
        position_ += digits;
        return code;
    }
    void digits(std::string& out, std::size_t begin) {
        if (!is_digit(peek())) refuse(begin, "this is not a number");
        while (is_digit(peek())) out += text_[position_++];
    }
    void number() {
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
        out_ += n;
    }
    static void check_range(const std::string& n, bool whole, std::size_t begin) {
        const char *first = n.data(), *last = first + n.size();
        std::int64_t small = 0;
        std::uint64_t big = 0;
        double real = 0;
        if (whole ? std::from_chars(first, last, small).ec != std::errc() &&
                        std::from_chars(first, last, big).ec != std::errc()
                  : std::from_chars(first, last, real).ec != std::errc() || !std::isfinite(real))
            refuse(begin, "this number is out of range; as text it may have any number of digits");
    }

    std::string_view text_;
    std::size_t position_ = 0, start_ = 0;
    std::string out_;
};

std::string sentence(std::string_view text, const Refused& refused) {
    const auto at = std::min(refused.at, text.size());
    const auto before = text.substr(0, at);
    const auto line = std::count(before.begin(), before.end(), '\n');
    const auto begin = before.rfind('\n') + 1;  // npos + 1 is 0
    auto near = text.substr(at, max_shown + 4);
    near = near.substr(0, near.find('\n'));
    near = utf8_cut(near, max_shown);
    auto out = refused.why + " (line " + std::to_string(line + 1) + ", column " + std::to_string(at - begin + 1);
    if (!near.empty()) out += ", at: " + repair_utf8(near);
    return out + ")";
}
}

LenientJson lenient_object(std::string_view text) {
    if (text.size() > max_size) return {.json = {}, .error = "the input is longer than 1 MB"};
    Reader reader(text);
    try {
        auto json = reader.object();
        return {.json = std::move(json), .error = {}, .examined = reader.position()};
    } catch (const Refused& refused) {
        return {.json = {}, .error = sentence(text, refused), .examined = reader.position()};
    }
}
}
