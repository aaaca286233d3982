// Reads strings and numbers of models, in the form of JSON or Python: the common part of the readers in
// steps/agents/text/lenient_json.hpp and steps/agents/react/dialects/call_expression.hpp. It neither guesses nor loses
// data: inexact texts are refused with their place. Each character is examined at most three times.
#pragma once
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::agents {
constexpr std::size_t max_quoted = 40;  // bytes of the text that an error quotes

/// The length of a blank beyond ASCII at the beginning of the text, such as a no-break space or a byte order mark.
inline std::size_t wide_blank(std::string_view text) {
    if (text.empty() || static_cast<unsigned char>(text.front()) < 0x80) return 0;
    if (text.starts_with("\xC2\xA0")) return 2;
    for (const auto* blank : {"\xEF\xBB\xBF", "\xE2\x80\xAF", "\xE3\x80\x80", "\xE2\x80\x8B"})
        if (text.starts_with(blank)) return 3;
    return 0;
}
inline std::string_view without_wide_blanks(std::string_view text) {
    text = trimmed_front(text);
    while (const auto wide = wide_blank(text)) text = trimmed_front(text.substr(wide));
    return text;
}
/// The first colon of a text, of either width: its position, npos if there is none, and its bytes.
struct Colon {
    std::size_t at, size;
};
inline Colon first_colon(std::string_view text) {
    constexpr std::string_view wide = "\xEF\xBC\x9A";
    const auto narrow_at = text.find(':'), wide_at = text.find(wide);
    return wide_at < narrow_at ? Colon{wide_at, wide.size()} : Colon{narrow_at, 1};
}
struct RefusedLiteral {
    std::size_t at;
    std::string why;
};
/// "why (line 1, column 5, at: the text there)"
std::string sentence(std::string_view text, const RefusedLiteral&);
/// Appends the text as a strict JSON string.
void append_quoted(std::string& out, std::string_view text);

class Literals {
public:
    std::size_t position() const { return position_; }

protected:
    /// The rule by which a quote inside single quotes is an apostrophe.
    enum class Apostrophe {
        between_letters,  // it's
        before_no_end,    // the next character cannot follow a string in JSON
    };
    Literals(std::string_view text, Apostrophe apostrophe) : text_(text), apostrophe_(apostrophe) {}
    [[noreturn]] static void refuse(std::size_t at, std::string why) { throw RefusedLiteral{at, std::move(why)}; }
    static bool begins_word(char c) { return is_letter(c) || c == '_' || c == '$'; }
    static bool is_word(char c) { return is_word_part(c) || c == '$'; }
    static bool is_quote(char c) { return c == '"' || c == '\''; }

    bool at_end() const { return position_ == text_.size(); }
    char peek(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }
    bool take(char c) {
        if (at_end() || peek() != c) return false;
        ++position_;
        return true;
    }
    /// Takes letters and digits, and sets start_ to their beginning.
    std::string_view take_word() {
        start_ = position_;
        while (!at_end() && is_word(peek())) ++position_;
        return text_.substr(start_, position_ - start_);
    }
    /// Reads a string in single or double quotes, one or three at each end. A backslash that begins no escape stands
    /// for itself, if no other backslash in the string begins one.
    std::string string();
    /// Reads a number with an optional sign. Rewrites .5, 5. and +5 as JSON.
    std::string number();
    /// true, false or null for the word of JSON or Python; else empty. Refuses infinity and NaN.
    std::string_view constant(std::string_view word) const;

    std::string_view text_;
    std::size_t position_ = 0, start_ = 0;
    std::size_t ahead_ = 0;  // number of characters examined ahead of the position

private:
    std::string in_three_quotes();
    void string_part(char quote, std::string& out);
    bool ends_text(char quote);
    void escape(std::string& out);
    void refuse_mixed_backslashes() const;
    char32_t unicode(std::size_t begin);
    char32_t hex(std::size_t begin, std::size_t digits);
    void digits(std::string& out, std::size_t begin);
    const Apostrophe apostrophe_;
    std::size_t backslash_ = 0, escape_ = 0;  // positions in the current string; the text's end if there is none
};
}
