// Strings and numbers as models write them, in JSON's way or Python's: what the readers of
// steps/agents/text/lenient_json.hpp and steps/agents/react/dialects/call_expression.hpp have in common. Never
// guessed, and never lost: what cannot be read exactly is refused with its place. Three looks per character at most.
#pragma once
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::agents {
constexpr std::size_t max_quoted = 40;  // bytes of the text that an error quotes

/// The bytes of the blank that the text begins with, if it is none of ASCII: a no-break space, or a byte order mark.
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
/// The first colon of a text, of either width: its place, npos if there is none, and its bytes.
struct Colon {
    std::size_t at, size;
};
inline Colon first_colon(std::string_view text) {
    constexpr std::string_view wide = "\xEF\xBC\x9A";
    const auto narrow_at = text.find(':'), wide_at = text.find(wide);
    return wide_at < narrow_at ? Colon{wide_at, wide.size()} : Colon{narrow_at, 1};
}
struct Refused {
    std::size_t at;
    std::string why;
};
/// "why (line 1, column 5, at: the text there)"
std::string sentence(std::string_view text, const Refused&);
/// As strict JSON.
void append_quoted(std::string& out, std::string_view text);

class Literals {
public:
    std::size_t position() const { return position_; }

protected:
    /// Which quotes are apostrophes of the text that stands in single quotes.
    enum class Apostrophe {
        between_letters,  // it's
        before_no_end,    // those that are not followed by what may follow a text in JSON
    };
    Literals(std::string_view text, Apostrophe apostrophe) : text_(text), apostrophe_(apostrophe) {}
    [[noreturn]] static void refuse(std::size_t at, std::string why) { throw Refused{at, std::move(why)}; }
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
    /// Letters and digits from here on; start_ is where they begin.
    std::string_view take_word() {
        start_ = position_;
        while (!at_end() && is_word(peek())) ++position_;
        return text_.substr(start_, position_ - start_);
    }
    /// The text that begins here, between quotes, single or double: one at each end, or three. A backslash that begins
    /// no escape stands for itself, if no other one in that text begins one.
    std::string string();
    /// A number of JSON, an optional sign before it; made such from .5, 5. and +5.
    std::string number();
    /// true, false or null for a word that means it, in JSON or in Python; else empty. Refuses what is not finite.
    std::string_view constant(std::string_view word) const;

    std::string_view text_;
    std::size_t position_ = 0, start_ = 0;
    std::size_t ahead_ = 0;  // characters that were looked at before their turn

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
    std::size_t backslash_ = 0, escape_ = 0;  // of the text that is read: where one stands; the end if none does
};
}
