#include "engine/error.hpp"
#include "engine/net/url.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::net;

TEST_CASE("an address is read into its parts and written back") {
    const auto url = parse_url("HTTPS://API.Example.com/v1?x=1");
    CHECK(url == Url{true, "api.example.com", 443, "/v1?x=1"});
    CHECK(url.text() == "https://api.example.com/v1?x=1");
    CHECK(parse_url("http://localhost:8080") == Url{false, "localhost", 8080, "/"});
    CHECK(parse_url("http://h?q").target == "/?q");
    CHECK(parse_url("http://h:80").authority() == "h");
}
TEST_CASE("an IPv6 host has no brackets when it is read, and has them when it is written") {
    const auto url = parse_url("http://[::1]:11434/api");
    CHECK(url.host == "::1");
    CHECK(url.port == 11434);
    CHECK(url.authority() == "[::1]:11434");
    CHECK(parse_url("https://[fe80::1]").origin() == "https://[fe80::1]");
}
TEST_CASE("a path is put below a base with exactly one slash between") {
    for (const char* base : {"http://h/v1", "http://h/v1/", "http://h/v1//"})
        CHECK((parse_url(base) / "/chat/completions").target == "/v1/chat/completions");
    CHECK((parse_url("http://h") / "api/chat").target == "/api/chat");
    CHECK((parse_url("http://h/v1?api-version=1") / "chat").target == "/v1/chat?api-version=1");
    CHECK((parse_url("http://h/v1/?a=1&b=x/y") / "chat?alt=sse").target == "/v1/chat?alt=sse&a=1&b=x/y");
    CHECK((parse_url("http://h?") / "chat?alt=sse").target == "/chat?alt=sse");
}
TEST_CASE("an address is refused when it is not a plain address of http") {
    for (const char* text : {"",
                             "h",
                             "localhost:11434",
                             "ftp://h",
                             "http:/h",
                             "http://",
                             "http://:80",
                             "http://h:0",
                             "http://h:65536",
                             "http://h:x",
                             "http://h:1:2",
                             "http://h:80 ",
                             "http://h/a b",
                             "http://h/\r\nX: y",
                             "http://[::1",
                             "http://[x]",
                             "http://[::1]x",
                             "http://h#part",
                             "http://..",
                             "http://a..b",
                             "http://h\\a",
                             "file:///etc/passwd",
                             "http://h\x7f",
                             "http://\xc3\xa4.example"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_url(text), Error);
    }
    CHECK_THROWS_AS(parse_url("http://h/" + std::string(3000, 'a')), Error);
}
TEST_CASE("percent decoding makes any byte of %XX, and refuses or keeps a '%' without two digits") {
    using namespace std::string_literals;
    const std::pair<const char*, std::string> good[] = {
        {"", ""}, {"a%20b%2B+", "a b++"}, {"%41%6a%6A", "Ajj"}, {"%2525", "%25"}, {"%00%ff", "\0\xff"s},
    };
    for (const auto& row : good) {
        CAPTURE(row.first);
        CHECK(percent_decoded(row.first) == row.second);
        CHECK(percent_decoded_leniently(row.first) == row.second);
    }
    const std::pair<const char*, std::string> bad[] = {
        {"%", "%"},     {"a%4", "a%4"}, {"%4g%41", "%4gA"}, {"%%41", "%A"},
        {"%+1", "%+1"}, {"% 1", "% 1"}, {"%-1", "%-1"},     {"%0x41", "%0x41"},
    };
    for (const auto& row : bad) {
        CAPTURE(row.first);
        CHECK_FALSE(percent_decoded(row.first).has_value());
        CHECK(percent_decoded_leniently(row.first) == row.second);
    }
}
TEST_CASE("a password in an address is refused and never repeated") {
    try {
        parse_url("http://me:hunter2@host/");
        FAIL("accepted");
    } catch (const Error& e) {
        CHECK(e.code() == Code::configuration);
        CHECK(std::string(e.what()).find("hunter2") == std::string::npos);
    }
}
