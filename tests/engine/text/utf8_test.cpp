#include "engine/text/hidden.hpp"
#include "engine/text/utf8.hpp"
#include <doctest/doctest.h>
using namespace weft;

TEST_CASE("well-formed text stays as it is") {
    for (const char* text :
         {"", "plain", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xed\x9f\xbf\xee\x80\x80", "\xf4\x8f\xbf\xbf"}) {
        CHECK(is_utf8(text));
        CHECK(repair_utf8(text) == text);
    }
}
TEST_CASE("each maximal ill-formed part becomes one replacement character") {
    const std::string r = "\xef\xbf\xbd";
    CHECK(repair_utf8("a\xff"
                      "b") == "a" + r + "b");
    CHECK(repair_utf8("\xc0\xaf") == r + r);                  // overlong
    CHECK(repair_utf8("\xed\xa0\x80") == r + r + r);          // a surrogate
    CHECK(repair_utf8("\xf4\x90\x80\x80") == r + r + r + r);  // beyond the last
    CHECK(repair_utf8("\xe2\x82") == r);                      // cut off
    CHECK(repair_utf8("\xf0\x9f\x98"
                      "x") == r + "x");
    CHECK(repair_utf8("\x80\xe2\x82\xac") == r + "\xe2\x82\xac");
    CHECK(is_utf8(repair_utf8("\xf0\x80\xe2\xe2\x82\xff\xc3")));
}
TEST_CASE("an excerpt is one line without anything that acts on a terminal") {
    CHECK(excerpt("a\r\nb\t\x1b[31mred\x07", 100) == "a b [31mred");
    CHECK(excerpt("\xe2\x80\xae"
                  "evil\xc2\x9b"
                  "2J",
                  100) == "evil 2J");
    CHECK(excerpt("  spaced   out  ", 100) == "spaced out");
    CHECK(excerpt("a\xff"
                  "b",
                  100) == "a b");
}
TEST_CASE("an excerpt is cut between characters and says so") {
    CHECK(excerpt("abcdef", 6) == "abcdef");
    CHECK(excerpt("abcdefg", 6) == "abcdef...");
    CHECK(excerpt("ab\xe2\x82\xac", 4) == "ab...");
    CHECK(excerpt(std::string(1000000, ' '), 3).empty());
}
TEST_CASE("invisible characters are removed from a text, and visible ones stay") {
    CHECK(without_hidden("a\tb\nc \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80") ==
          "a\tb\nc \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    CHECK(without_hidden("\x1b]8;;x\x07"
                         "a\x7f\r\nb") == "]8;;xa\nb");
    CHECK(without_hidden("a\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\x81z\xc2\x9b") == "az");
    CHECK(without_hidden("a \xef\xb8\x80\xef\xb8\x8f\xe1\xa0\x8f\xef\xbf\xb0\xf0\x9b\xb2\xa0z") == "a z");
    CHECK(without_hidden("a\xff") == "a\xEF\xBF\xBD");
}
TEST_CASE("a joiner stays behind a letter or an emoji, and is left out when texts are compared") {
    CHECK(without_hidden("می\u200cخواهم ❤\ufe0f 👨\u200d👩") == "می\u200cخواهم ❤\ufe0f 👨\u200d👩");
    CHECK(without_hidden("a\u200d\u200d\u200dz") == "a\u200dz");
    CHECK(bare("می\u200cخ ❤\ufe0f") == "میخ ❤");
    CHECK(excerpt("می\u200cخواهم", 100) == "می\u200cخواهم");
}
TEST_CASE("a character is decoded, and an invalid one says whether more bytes could complete it") {
    std::uint32_t code = 0;
    bool cut = false;
    CHECK(decode_utf8("\xe2\x82\xac!", code, cut) == 3);
    CHECK(code == 0x20AC);
    CHECK_FALSE(cut);
    for (const char* part : {"\xe2", "\xe2\x82", "\xf0\x9f\x98", "\xc3"}) {
        CHECK(decode_utf8(part, code, cut) == 0);
        CHECK(cut);
    }
    for (const char* wrong : {"\x80", "\xff", "\xc0\xaf", "\xe2\x28", "\xed\xa0", "\xe0\x80", "\xf4\x90"}) {
        CHECK(decode_utf8(wrong, code, cut) == 0);
        CHECK_FALSE(cut);
    }
}
