// Reads JSON in one pass without a tree. Each function reads one value, or returns false and stops anywhere. It accepts
// only a part of JSON, and nothing else: no exponents, no escapes in names, bounded depths and numbers.
//
//     JsonScanner in(text);
//     std::int64_t total = 0;
//     const bool known = in.object([&](std::string_view name) { return name == "n" ? in.integer(total) : in.skip(); });
//     if (!known || !in.at_end()) total = -1;
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace weft::models {
class JsonScanner {
public:
    /// The text must outlive the scanner and the texts that it returns.
    explicit JsonScanner(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

    bool at_end() {
        skip_blanks();
        return at_ == end_;
    }
    char next() {
        skip_blanks();
        return at_ == end_ ? '\0' : *at_;
    }
    bool take(char c) {
        if (at_ == end_ || *at_ != c) {
            skip_blanks();
            if (at_ == end_ || *at_ != c) return false;
        }
        ++at_;
        return true;
    }
    bool literal(std::string_view word);  // the caller takes a mark after it, so nullx fails
    bool null() { return literal("null"); }
    /// Passes the name of each member; `member` reads its value.
    template <class Member> bool object(Member member) {
        if (!take('{')) return false;
        if (take('}')) return true;
        std::string_view key;
        return word(key) && take(':') && member(key) && rest_of_object(member);
    }
    /// Reads an object from behind a member.
    template <class Member> bool rest_of_object(Member member) {
        while (take(',')) {
            std::string_view key;
            if (!word(key) || !take(':') || !member(key)) return false;
        }
        return take('}');
    }
    template <class Element> bool array_of_one(Element element) { return take('[') && element() && take(']'); }
    /// Reads a string without escapes.
    bool word(std::string_view& text);
    /// Reads any string; `decoded` holds the text if it has escapes.
    bool string(std::string_view& text, std::string& decoded);
    std::string_view raw() const { return raw_; }  // the last such string, undecoded
    const char* position() const { return at_; }
    bool integer(std::int64_t& value);  // not negative
    /// Reads an empty value: null, or an empty string, array or object.
    bool nothing();
    /// Skips any value, within bounds.
    bool skip(int depth = 0);
    /// Reads an object within bounds, as its text.
    bool raw_object(std::string_view& text);

private:
    void skip_blanks() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    }
    bool number();  // without an exponent, so it fits a double
    bool raw_string(std::string_view& text, bool& escapes);

    const char *at_, *end_;
    std::string_view raw_;
};

/// Passes each whole number of an object, and of the objects directly in it: the name of the inner object or an empty
/// text, the member's name, the number. Returns false, at any point, if it cannot read the object.
using TakeCount = std::function<void(std::string_view within, std::string_view name, std::int64_t)>;
bool scan_counts(std::string_view object, const TakeCount&);
}
