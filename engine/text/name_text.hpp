// Normalises a compiler's name of a type or a function to a form that all compilers share:
//
//     AskOf<long unsigned int> (g++), AskOf<unsigned long> (clang)     AskOf<unsigned long>
//     Page<3> and Page<3UL>                                            Page<3>
//     Box<shop::Hit*> and Box<shop::Hit *>                             Box<Hit*>
//     Box<std::__cxx11::basic_string<char> >, Box<std::string>         Box<string>
//     Ask<shop::Text<3>{"hi"}> and Ask<{{104, 105, 0}}>                Ask<{{104, 105, 0}}>
//
// A normalised name does not change.
#pragma once
#include "engine/text/characters.hpp"
#include "engine/text/name_parts.hpp"
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::core {
class NameWriter {
public:
    /// The maximum size of the result.
    static constexpr std::size_t room(std::size_t size) { return 5 * size + 64; }
    constexpr NameWriter(std::string_view s, char* room) : s_(s), text_(room) {}
    constexpr std::size_t write() {
        while (i_ < s_.size()) take_next();
        return size_;
    }

private:
    static constexpr std::size_t shown = 10;  // array elements in clang's text

    constexpr std::string_view rest() const { return s_.substr(i_); }
    constexpr char last() const { return size_ > 0 ? text_[size_ - 1] : '<'; }
    constexpr void put(char c) { text_[size_++] = c; }
    constexpr void put(std::string_view s) {
        for (const char c : s) put(c);
    }
    constexpr void take_next() {
        const char c = s_[i_];
        if (is_word_part(c)) take_word();
        else if (c == ' ' || c == ')') ++i_;
        else if (c == '(' && rest().starts_with("(& ")) i_ += 3;  // "(& object)"
        else if (c == '(' || rest().starts_with("[with ") || rest().starts_with("<lambda") ||
                 rest().starts_with("{anonymous}") || rest().starts_with("<unnamed"))
            skip_bracket();
        else if (rest().starts_with("::")) leave_scope();
        else if (c == '\'') put_character(i_, after_quotes(s_, i_));
        else if (c == '"') put_text(after_quotes(s_, i_));
        else take_mark(c);
    }
    // Skips parameters of an enclosing function, a cast, "(anonymous namespace)", "(lambda at ...)".
    constexpr void skip_bracket() {
        const bool follows_function = s_[i_] == '[' || (i_ > 0 && (is_word_part(s_[i_ - 1]) || s_[i_ - 1] == '>'));
        i_ = after_bracket(s_, i_);
        if (follows_function && rest().starts_with("::")) size_ = word_ = argument();
    }
    /// The position at which the present template argument begins in the result.
    constexpr std::size_t argument() const {
        int depth = 0;
        for (auto i = size_; i > 0; --i) {
            const char c = text_[i - 1];
            if (depth == 0 && (c == '<' || c == '{' || (c == ' ' && i > 1 && text_[i - 2] == ','))) return i;
            depth += (c == '>' || c == '}') - (c == '<' || c == '{');
        }
        return 0;
    }
    constexpr void leave_scope() {  // keeps only the last part of a qualified name
        size_ = word_;
        i_ += 2;
        if (i_ < s_.size() && s_[i_] == '*' && last() == ' ') word_ = --size_;
    }
    constexpr void take_mark(char c) {
        ++i_;
        if (c == '&' && (last() == '<' || last() == ' ' || last() == '{')) return;  // an address
        if (c == '{') size_ = argument();  // drops the type before braces, which clang omits
        put(c);
        if (c == ',') put(' ');
        if (c == '>') shorten_string();
        word_ = size_;
    }
    constexpr void put_word(std::string_view w) {
        if (is_word_part(last())) put(' ');
        word_ = size_;
        put(w);
    }
    constexpr std::string_view word_at(std::size_t i) const {
        std::size_t end = i;
        while (end < s_.size() && is_word_part(s_[end])) ++end;
        return s_.substr(i, end - i);
    }
    constexpr void take_word() {
        const auto word = word_at(i_);
        const auto end = i_ + word.size();
        if (end < s_.size() && s_[end] == '\'' && (word == "L" || word == "u" || word == "U" || word == "u8"))
            put_character(end, after_quotes(s_, end));
        else if (is_digit(word[0])) take_number();
        else if (is_of_integer(word)) take_integer_type();
        else {
            put_word(word);
            i_ = end;
        }
    }
    static constexpr bool is_suffix(char c) {  // allows a slot's name, which has no capital letters
        return c == 'L' || c == 'U' || c == 'l' || c == 'u' || c == '_';
    }
    constexpr void take_number() {
        auto end = i_;
        while (end < s_.size() &&
               (is_word_part(s_[end]) || s_[end] == '.' || ((s_[end] == '+' || s_[end] == '-') && s_[end - 1] == 'e')))
            ++end;
        auto number = s_.substr(i_, end - i_);
        if (number.find('.') == number.npos)
            while (is_suffix(number.back())) number.remove_suffix(1);
        put_word(number);
        i_ = end;
    }
    static constexpr bool is_of_integer(std::string_view w) {
        return w == "long" || w == "short" || w == "int" || w == "char" || w == "unsigned" || w == "signed" ||
               w == "__int128";
    }
    constexpr void take_integer_type() {
        int longs = 0, shorts = 0;
        bool is_char = false, is_unsigned = false, is_signed = false, is_wide = false;
        for (auto w = word_at(i_); is_of_integer(w); w = word_at(i_)) {
            longs += w == "long";
            shorts += w == "short";
            is_char |= w == "char";
            is_unsigned |= w == "unsigned";
            is_signed |= w == "signed";
            is_wide |= w == "__int128";
            i_ += w.size();
            if (i_ < s_.size() && s_[i_] == ' ' && is_of_integer(word_at(i_ + 1))) ++i_;
            else break;
        }
        if (is_unsigned) put_word("unsigned");
        if (is_char) put_word(is_signed ? "signed char" : "char");
        else if (is_wide) put_word("__int128");
        else if (shorts > 0) put_word("short");
        else if (longs > 0) put_word(longs > 1 ? "long long" : "long");
        else put_word("int");
    }
    constexpr void put_number(std::uint32_t n) {
        char digits[10]{};
        int count = 0;
        do digits[count++] = char('0' + n % 10);
        while ((n /= 10) > 0);
        while (count > 0) put(digits[--count]);
    }
    /// The code of the next character between quotes; of a negative char, its byte.
    constexpr std::uint32_t character(std::size_t& at, std::size_t end) const {
        if (s_[at] != '\\' || at + 1 >= end) return static_cast<unsigned char>(s_[at++]);
        const char kind = s_[++at];
        const bool hex = kind == 'x' || kind == 'u' || kind == 'U';
        if (!hex && !is_digit(kind)) {
            ++at;
            constexpr std::string_view letters = "abtnvfr";  // 7 to 13
            const auto found = letters.find(kind);
            return found == letters.npos ? static_cast<unsigned char>(kind) : std::uint32_t(7 + found);
        }
        std::uint32_t n = 0;
        for (at += hex; at < end && digit(s_[at]) < (hex ? 16 : 8); ++at) n = n * (hex ? 16 : 8) + digit(s_[at]);
        return kind == 'u' || kind == 'U' ? n : n & 0xff;
    }
    /// The digit's value; larger than any digit if c is none.
    static constexpr std::uint32_t digit(char c) { return std::uint32_t(hex_value(c)); }
    constexpr void put_character(std::size_t quote, std::size_t end) {
        auto at = quote + 1;
        put_number(at < end - 1 ? character(at, end - 1) : 0);
        i_ = end;
    }
    constexpr void put_text(std::size_t end) {
        put('{');
        std::size_t n = 0;
        for (auto at = i_ + 1; at < end - 1 && n < shown; ++n) {
            put_number(character(at, end - 1));
            put(", ");
        }
        put(n < shown ? "0}" : "...}");
        i_ = end;
    }
    constexpr void shorten_string() {
        constexpr std::string_view kinds[][2] = {
            {"<char>", ""}, {"<wchar_t>", "w"}, {"<char8_t>", "u8"}, {"<char16_t>", "u16"}, {"<char32_t>", "u32"}};
        const std::string_view all(text_, size_);
        for (auto& [argument, prefix] : kinds) {
            if (!all.ends_with(argument)) continue;
            const auto name = all.substr(0, all.size() - argument.size());
            for (const std::string_view string : {"string_view", "string"})
                if (name.ends_with(string) && name.substr(0, name.size() - string.size()).ends_with("basic_")) {
                    size_ = name.size() - string.size() - 6;
                    put(prefix);
                    put(string);
                }
        }
    }
    std::string_view s_;
    char* text_;
    std::size_t i_ = 0, size_ = 0;
    std::size_t word_ = 0;  // begin of the present qualified name in the result
};
/// The normalised form of a stored name, which may come from another compiler or an older program.
inline std::string same_from_every_compiler(std::string_view name) {
    std::string room(NameWriter::room(name.size()), '\0');
    room.resize(NameWriter(name, room.data()).write());
    return room;
}
}
