// UTF-8 by enumeration: characters, places to cut texts, and excerpts for a terminal.
#include "engine/text/utf8.hpp"
#include <array>
#include <doctest/doctest.h>
#include <string>
#include <vector>
using namespace weft;

namespace {
std::string encoded(char32_t c) {
    const auto rest = [&](int bits) { return char(0x80 | (c >> bits & 0x3F)); };
    if (c < 0x80) return {char(c)};
    if (c < 0x800) return {char(0xC0 | c >> 6), rest(0)};
    if (c < 0x10000) return {char(0xE0 | c >> 12), rest(6), rest(0)};
    return {char(0xF0 | c >> 18), rest(12), rest(6), rest(0)};
}
}

TEST_CASE("every code point is well-formed, and no other sequence of two or three bytes is") {
    unsigned wrong = 0;
    for (char32_t c = 0; c <= 0x10FFFF; ++c)
        if (c < 0xD800 || c > 0xDFFF) wrong += !is_utf8(encoded(c));
    CHECK(wrong == 0);

    std::string text(2, 0);
    unsigned two = 0, three = 0;
    for (int a = 0x80; a < 0x100; ++a)
        for (int b = 0; b < 0x100; ++b) {
            text[0] = char(a), text[1] = char(b);
            two += is_utf8(text);
        }
    CHECK(two == 0x800 - 0x80);
    text.resize(3);
    for (int a = 0xE0; a < 0xF8; ++a)
        for (int b = 0; b < 0x100; ++b)
            for (int c : {0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF}) {
                text[0] = char(a), text[1] = char(b), text[2] = char(c);
                three += is_utf8(text);
            }
    CHECK(three == (0x10000 - 0x800 - 0x800) / 64 * 2);  // no overlong ones, no surrogates; two of 64 last bytes tried
}
TEST_CASE("four bytes are well-formed from U+10000 to U+10FFFF") {
    std::string text(4, 0);
    unsigned four = 0;
    for (int a = 0xF0; a < 0x100; ++a)
        for (int b = 0; b < 0x100; ++b)
            for (int c : {0x00, 0x7F, 0x80, 0xBF, 0xC0})
                for (int d : {0x00, 0x7F, 0x80, 0xBF, 0xC0}) {
                    text[0] = char(a), text[1] = char(b), text[2] = char(c), text[3] = char(d);
                    four += is_utf8(text);
                }
    CHECK(four == 0x100000 / 64 / 64 * 2 * 2);
}
TEST_CASE("the well-formed prefix ends where the first wrong byte stands, wherever it stands") {
    for (std::size_t n = 0; n < 30; ++n)
        for (const std::string& middle : {std::string(), encoded(0xE4), encoded(0x20AC), encoded(0x1F600)}) {
            const auto good = std::string(n, 'a') + middle + std::string(n / 2, 'b');
            CHECK(utf8_prefix(good) == good.size());
            CHECK(utf8_prefix(good + "\xFF" + good) == good.size());
            CHECK(repair_utf8(good + "\xFF" + good) == good + "\xEF\xBF\xBD" + good);
        }
}
TEST_CASE("a text is cut at the last character that ends within the limit") {
    std::string text;
    std::vector<std::size_t> ends{0};
    for (char32_t c : {0x61, 0xE4, 0x20AC, 0x1F600, 0x1F601, 0x62, 0x20AC}) {
        text += encoded(c);
        ends.push_back(text.size());
    }
    for (std::size_t bytes = 0; bytes < text.size() + 2; ++bytes) {
        std::size_t last = 0;
        for (auto end : ends)
            if (end <= bytes) last = end;
        CAPTURE(bytes);
        CHECK(utf8_cut(text, bytes) == text.substr(0, last));
    }
    const std::string strange(9, '\x80');  // no character begins anywhere: at most three bytes are dropped
    CHECK(utf8_cut(strange, 8).size() == 5);
    CHECK(utf8_cut(strange, 2).empty());
}
TEST_CASE("an excerpt has visible characters, and none that is blank, hidden or turns text around") {
    struct Range {
        char32_t first, last;
    };
    const std::array hidden{
        Range{0, 0x20},        Range{0x7F, 0x9F},       Range{0xAD, 0xAD},       Range{0x34F, 0x34F},
        Range{0x61C, 0x61C},   Range{0x115F, 0x1160},   Range{0x17B4, 0x17B5},   Range{0x180B, 0x180F},
        Range{0x200B, 0x200F}, Range{0x2028, 0x202E},   Range{0x2060, 0x206F},   Range{0x3164, 0x3164},
        Range{0xFDD0, 0xFDEF}, Range{0xFE00, 0xFE0F},   Range{0xFEFF, 0xFEFF},   Range{0xFFA0, 0xFFA0},
        Range{0xFFF0, 0xFFFB}, Range{0x1BCA0, 0x1BCA3}, Range{0x1D173, 0x1D17A}, Range{0xDFFFE, 0xE0FFF}};
    unsigned wrong = 0;
    for (const auto& range : hidden)
        for (char32_t c = range.first; c <= range.last; ++c) wrong += excerpt("." + encoded(c) + "b", 99) != ". b";
    CHECK(wrong == 0);
    for (const auto& range : hidden)
        for (char32_t c : {range.first - 1, range.last + 1})
            if (c < 0x110000) {
                CAPTURE(unsigned(c));
                const auto whole = "a" + encoded(c) + "b";
                CHECK(excerpt(whole, 99) == whole);
            }
}
TEST_CASE("an excerpt has at most as many bytes as it is given, and a blank counts") {
    CHECK(excerpt("ab cd", 5) == "ab cd");
    CHECK(excerpt("ab cd", 4) == "ab c...");
    CHECK(excerpt("ab cd", 3) == "ab...");
    CHECK(excerpt("ab cd", 2) == "ab...");
    CHECK(excerpt("ab  ", 2) == "ab");
    CHECK(excerpt("\t ab", 2) == "ab");
    CHECK(excerpt("a", 0) == "...");
    CHECK(excerpt("", 0).empty());
}
