#include "engine/text/base64.hpp"
#include "engine/text/characters.hpp"
#include <doctest/doctest.h>
#include <string>
using namespace weft;

TEST_CASE("a class of characters has the ASCII characters of its name and no other byte or code point") {
    for (char32_t code = 0; code < 0x3000; ++code) {
        const bool digit = code >= 0x30 && code <= 0x39, upper = code >= 0x41 && code <= 0x5A;
        const bool lower = code >= 0x61 && code <= 0x7A;
        CHECK(is_digit(code) == digit);
        CHECK(is_letter(code) == (upper || lower));
        CHECK(is_word_part(code) == (digit || upper || lower || code == U'_'));
        CHECK(is_hex_digit(code) == (digit || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)));
    }
    for (int byte = 0x80; byte < 0x100; ++byte) CHECK_FALSE((is_word_part(char(byte)) || is_hex_digit(char(byte))));
    CHECK(hex_value('0') == 0);
    CHECK(hex_value('a') == 10);
    CHECK(hex_value('F') == 15);
    CHECK(hex_value('g') == -1);
}
TEST_CASE("base64 restores the bytes") {
    const std::string all("\0\x10\xff\xfb foobar", 11);
    for (std::size_t size = 0; size <= all.size(); ++size) {
        const auto bytes = all.substr(0, size);
        CHECK(from_base64(base64(bytes)) == bytes);
    }
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64("fooba") == "Zm9vYmE=");
    CHECK(base64("foob") == "Zm9vYg==");
}
TEST_CASE("a text with a character that base64 does not have is not read as base64") {
    for (const char* text : {"Zg", "Zg=", "Zg===", "=", "A===", "Zm9v Zm9v", "Zm9v\n", "Zm-_", "Zg==Zg==", "Zm9\xc3"})
        CHECK_FALSE(from_base64(text).has_value());
}
