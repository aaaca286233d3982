// Untrusted text for a terminal.
#include "steps/view/neutralise.hpp"
#include <doctest/doctest.h>
#include <random>
using namespace weft::view;

// shows B-A17
TEST_CASE("terminal commands, direction changes and hidden characters of a text become visible") {
    CHECK(neutralise("plain\n\ttext é 日本 😀") == "plain\n\ttext é 日本 😀");
    CHECK(neutralise("\x1B[31mred\x1B]52;c;x\x07") == "<U+001B>[31mred<U+001B>]52;c;x<U+0007>");
    CHECK(neutralise(std::string_view("a\0b\x7F", 4)) == "a<U+0000>b<U+007F>");
    CHECK(neutralise("\xC2\x9B"
                     "31m") == "<U+009B>31m");
    CHECK(neutralise("\xE2\x80\xAE"
                     "abc\xE2\x81\xA6") == "<U+202E>abc<U+2066>");
    CHECK(neutralise("a\xE2\x80\x8D"
                     "b\xE2\x80\x8B\xEF\xBB\xBF",
                     false) == "a<U+200D>b<U+200B><U+FEFF>");
    CHECK(neutralise("\xF3\xA0\x81\x81") == "<U+E0041>");
    CHECK(neutralise("\xF4\x8F\xBF\xBE") == "<U+10FFFE>");
    CHECK(neutralise("\xEF\xB8\x80") == "<U+FE00>");
    CHECK(neutralise("\xE2\x9D\xA4\xEF\xB8\x8F") == "\xE2\x9D\xA4\xEF\xB8\x8F");  // a heart in colour
    CHECK(neutralise("a\r\nb\rc") == "a\nb<U+000D>c");
    CHECK(neutralise("\xFF\xC3(\xE2\x82") == "\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(neutralise("\xED\xA0\x80\xC0\xAF") == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}
TEST_CASE("joiners, selectors and marks stay beside letters and emoji, and become visible alone or in a row") {
    for (const char* text :
         {"می\u200cخواهم", "क\u094d\u200dष", "👨\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "1\ufe0f\u20e3", "Auf\u200clage",
          "葛\U000e0100", "e\u0301", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"})
        CHECK(neutralise(text) == text);
    CHECK(neutralise("a\u200d\u200d") == "a\u200d<U+200D>");
    CHECK(neutralise(" \u200cb") == " <U+200C>b");
    CHECK(neutralise("❤\ufe0f\ufe00") == "❤\ufe0f<U+FE00>");
    CHECK(neutralise("x\U000e0041") == "x<U+E0041>");
    CHECK(neutralise("می\u200cخ", false) == "می\u200cخ");
}
TEST_CASE("text in pieces is made harmless like the whole text") {
    const std::string words[] = {"\x1B",         "\r",   "\n",       "é",        "\xE2", "\x80", "\x8D",
                                 "\xEF\xB8\x8F", "\xAE", "\xF0\x9F", "\x98\x80", "a",    "\xC2", "\x9B"};
    for (unsigned seed = 0; seed < 2000; ++seed) {
        std::mt19937 random(seed);
        std::string text, pieces;
        for (auto n = random() % 20; n > 0; --n) text += words[random() % std::size(words)];
        Neutraliser plain;
        for (std::size_t at = 0; at < text.size();) {
            const auto n = 1 + random() % 3;
            pieces += plain.put(std::string_view(text).substr(at, n));
            at += n;
        }
        pieces += plain.end();
        REQUIRE(pieces == neutralise(text));
        for (const char c : pieces) REQUIRE((static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t'));
    }
}
