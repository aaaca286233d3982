// The reader refuses ambiguous texts: a comment or a name after a string may be the rest of that string, whose quote
// was not escaped.
#include "steps/agents/text/lenient_json.hpp"
#include "engine/text/characters.hpp"
#include "steps/agents/text/literals.hpp"
#include <set>

namespace weft::agents {
namespace {

class JsonReader : public Literals {
public:
    explicit JsonReader(std::string_view text) : Literals(text, Apostrophe::before_no_end) {}
    std::string object() {
        begin();
        if (skip_end(); !at_end()) refuse(position_, "there is text after the end of the JSON object");
        return std::move(out_);
    }
    std::string input() {
        if (!begin()) {
            if (skip_end(); !at_end()) not_an_object();
            return std::move(out_);
        }
        const auto end = position_;
        try {
            skip_end();
            has_rest_ = !at_end();
        } catch (const RefusedLiteral&) { has_rest_ = true; }  // an unclosed comment
        if (has_rest_)
            if (const auto* why = why_not_ignored(text_, end)) refuse(end, why);
        return std::move(out_);
    }
    /// Reads the object at the beginning; any text may follow.
    std::string prefix() {
        if (peek() != '{') refuse(0, "an object is expected here");
        value(1);
        return std::move(out_);
    }

    std::size_t examined() const { return position_ + ahead_; }
    bool has_rest() const { return has_rest_; }
    bool too_deep() const { return too_deep_; }

private:
    /// Returns true for an object, false for null, None or a blank text.
    bool begin() {
        skip_fence();
        skip_blanks();
        const bool object = peek() == '{';
        if (object) value(1);
        else if (at_end()) out_ = "{}";
        else if (const auto word = take_word(); word == "null" || word == "None") out_ = "{}";
        else not_an_object();
        return object;
    }
    [[noreturn]] void not_an_object() const {
        refuse(start_, "the input must be a JSON object of named arguments, such as {\"name\": \"value\"}");
    }
    void skip_line() {
        while (!at_end() && peek() != '\n') ++position_;
    }
    /// Skips ``` or ```json before the object, on its line or the line before, or a single back-tick.
    void skip_fence() {
        while (!at_end() && is_blank(peek())) ++position_;
        if (peek() != '`') return;
        while (take('`')) {}
        if (begins_word(peek())) {
            const auto word = take_word();
            if (word != "json" && word != "json5" && word != "python" && word != "py" && word != "javascript" &&
                word != "js" && word != "text")
                position_ = start_;
        }
    }
    void skip_end() {  // skips the end of a fence, of a bold line or of a statement, and comments
        for (skip_blanks(); !at_end() && (peek() == '`' || peek() == ';' || peek() == '*'); skip_blanks()) ++position_;
    }
    /// Skips blanks and comments. Returns true if there was a comment.
    bool skip_blanks() {
        bool comment = false;
        while (!at_end()) {
            const auto rest = text_.substr(position_);
            if (is_blank(peek())) {
                ++position_;
                continue;
            }
            if (const auto wide = wide_blank(rest)) {
                position_ += wide;
                continue;
            }
            if (peek() == '#' || (peek() == '/' && peek(1) == '/')) skip_line();
            else if (peek() == '/' && peek(1) == '*') {
                const auto begin = position_;
                for (position_ += 2; !(peek() == '*' && peek(1) == '/'); ++position_)
                    if (at_end()) refuse(begin, "a comment is not closed");
                position_ += 2;
            } else break;
            comment = true;
        }
        return comment;
    }
    void value(int depth) {
        skip_blanks();
        if (at_end()) refuse(position_, "a value is missing: the text ends too early");
        if (peek() == '{' || peek() == '[') {
            too_deep_ = depth > max_lenient_depth;
            if (too_deep_) refuse(position_, "there are more than 64 levels of brackets");
            return take('{') ? members(depth) : elements(depth);
        }
        if (is_quote(peek())) return append_quoted(out_, string());
        if (is_digit(peek()) || peek() == '-' || peek() == '+' || peek() == '.') return void(out_ += number());
        const auto constant_text = constant(take_word());
        if (!constant_text.empty()) out_ += constant_text;
        else refuse(start_, "a value is expected here: text goes between double quotes");
    }
    void members(int depth) {
        const auto begin = position_ - 1;
        skip_blanks();
        if (peek() == '{') return doubled(depth, begin);
        std::set<std::string> names;
        bool comma = true;  // true if a comma precedes the next name
        out_ += '{';
        for (; !take('}'); skip_blanks()) {
            if (at_end()) refuse(begin, "the object that begins here is not closed");
            const auto where = position_;
            std::string name;
            if (is_quote(peek())) name = string();
            else if (begins_word(peek())) name = take_word();
            else refuse(where, "a name in double quotes is expected here");
            skip_blanks();
            if (!comma && peek() != ':') refuse(where, separator("object", begin));
            if (!names.insert(name).second)
                refuse(where, "the name \"" + name.substr(0, max_quoted) + "\" occurs twice");
            if (names.size() > 1) out_ += ',';
            append_quoted(out_, name);
            if (!take(':')) refuse(position_, "a colon is expected after a name");
            out_ += ':';
            value(depth + 1);
            const bool text = is_quote(text_[position_ - 1]);
            const bool comment = skip_blanks();
            comma = take(',') || peek() == '}';
            if (!comma && !may_begin_member(text, comment)) refuse(position_, separator("object", begin));
        }
        out_ += '}';
    }
    /// After a string, an apparent comment or a name without quotes may be the rest of that string.
    bool may_begin_member(bool behind_text, bool behind_comment) const {
        return is_quote(peek()) ? !(behind_text && behind_comment) : begins_word(peek()) && !behind_text;
    }
    /// Reads {{...}}, as in a template with doubled braces.
    void doubled(int depth, std::size_t begin) {
        value(depth + 1);
        skip_blanks();
        if (at_end()) refuse(begin, "the object that begins here is not closed");
        if (!take('}')) refuse(position_, "there is more between doubled braces than one object: write single ones");
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
    std::string out_;
    bool has_rest_ = false, too_deep_ = false;
};

LenientJson read(std::string_view text, std::string (JsonReader::*what)()) {
    JsonReader reader(text);
    LenientJson out;
    try {
        out.json = (reader.*what)();
    } catch (const RefusedLiteral& refused) { out.error = sentence(text, refused); }
    out.end = reader.position();
    out.examined = reader.examined();
    out.has_rest = out.ok() && reader.has_rest();
    out.too_deep = reader.too_deep();
    return out;
}
/// True if a member or an object, and no prose, follows the comma.
bool goes_on(std::string_view text) {
    constexpr std::size_t longest_name = 64;
    if (text.empty() || std::string_view("\"'{[}").find(text.front()) != std::string_view::npos) return true;
    std::size_t n = 0;
    const auto is_name = [](char c) { return is_word_part(c) || c == '-'; };
    while (n < text.size() && n < longest_name && is_name(text[n])) ++n;
    return trimmed_front(text.substr(n)).starts_with(':');
}
constexpr auto too_long = "the input is longer than 1 MB";
}

LenientJson lenient_object(std::string_view text) {
    if (text.size() > max_lenient_size) return {.json = {}, .error = too_long};
    return read(text, &JsonReader::object);
}
LenientJson lenient_input(std::string_view text) {
    auto got = read(text.substr(0, max_lenient_size), &JsonReader::input);
    if (text.size() <= max_lenient_size) return got;
    if (!got.ok()) got.error = too_long;
    got.has_rest = got.ok();
    return got;
}
const char* why_not_ignored(std::string_view text, std::size_t end) {
    const auto begin = text.find_first_not_of(" \t\r\n", end);
    if (begin == text.npos) return nullptr;
    if (text[begin] == ',' && goes_on(trimmed_front(text.substr(begin + 1))))
        return "the object ends before this comma: write one object with all arguments";
    const auto last = text.substr(0, end).find_last_not_of("} \t\r\n");
    const char quote = last == text.npos ? '\0' : text[last];
    if (quote != '"' && quote != '\'') return nullptr;  // the object does not end after a string
    int others = 4;
    for (auto at = begin; at < text.size(); ++at) {
        if (text[at] == quote)
            return text.find('}', at) == text.npos ? nullptr
                                                   : "what follows the object may belong to its last text: a quote "
                                                     "inside of text is written \\\"";
        if (text[at] != '{' || others == 0) continue;
        if (const auto other = lenient_prefix(text.substr(at)); other.ok()) at += other.end - 1;
        else --others;
    }
    return nullptr;
}
LenientJson lenient_prefix(std::string_view text) {
    auto got = read(text.substr(0, max_lenient_size), &JsonReader::prefix);
    if (!got.ok() && got.end == max_lenient_size && text.size() > max_lenient_size)
        got.error = "the object is longer than 1 MB";
    return got;
}
}
