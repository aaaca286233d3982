// The parts of http_get: permitted hosts and addresses, links, and the text of a page.
#include "engine/error.hpp"
#include "tools/web/hosts.hpp"
#include "tools/web/html_text.hpp"
#include "tools/web/links.hpp"
#include <boost/asio/ip/address.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::tools;
using net::parse_url;

namespace {
bool allows(const std::vector<std::string>& entries, const char* url) {
    return AllowedHosts(entries).allows(parse_url(url));
}
bool is_public(const char* address) { return tools::is_public(boost::asio::ip::make_address(address)); }
std::string follow(const char* page, const char* link) { return follow_link(parse_url(page), link).text(); }
}

// shows W-07
TEST_CASE("a host is allowed by its whole name, or by the domain above it, at the usual port or its own") {
    CHECK(allows({"example.org"}, "https://example.org/a"));
    CHECK(allows({"example.org"}, "http://EXAMPLE.org/"));
    CHECK(allows({"Example.ORG"}, "http://example.org/"));
    CHECK(allows({"*.example.org"}, "https://a.b.example.org/"));
    CHECK(allows({"example.org:8080"}, "http://example.org:8080/"));
    CHECK(allows({"a.org", "[::1]:81"}, "http://[::1]:81/"));
    for (const char* url :
         {"https://www.example.org/", "https://example.org.evil.org/", "https://evilexample.org/",
          "https://example.org./", "https://example.org:8080/", "http://example.org:443/", "http://example.com/"})
        CHECK_FALSE_MESSAGE(allows({"example.org"}, url), url);
    CHECK_FALSE(allows({"*.example.org"}, "https://example.org/"));
    CHECK_FALSE(allows({"*.example.org"}, "https://evilexample.org/"));
    CHECK_FALSE(allows({"example.org:8080"}, "http://example.org/"));
    CHECK_FALSE(allows({"127.0.0.1"}, "http://2130706433/"));
}
TEST_CASE("an invalid or too wide entry is refused by name") {
    for (const char* entry : {"", "*", "*.", "*.org", "https://example.org", "example.org/", "example.org/wiki", "a b",
                              "user@example.org", "example.org:0", "*.*.org", "a?b"})
        CHECK_THROWS_WITH_AS(AllowedHosts({entry}), doctest::Contains(("\"" + std::string(entry) + "\"").c_str()),
                             Error);
    CHECK_THROWS_WITH_AS(AllowedHosts({}), doctest::Contains("no host is allowed"), Error);
}
TEST_CASE("only addresses of the public internet are public") {
    for (const char* address : {"1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "192.167.1.1",
                                "223.255.255.255", "2606:4700::1111", "2a00::1", "64:ff9b::808:808"})
        CHECK_MESSAGE(is_public(address), address);
    for (const char* address : {"0.0.0.0",
                                "0.1.2.3",
                                "10.0.0.1",
                                "100.64.0.1",
                                "100.127.255.255",
                                "127.0.0.1",
                                "127.255.255.255",
                                "169.254.169.254",
                                "172.16.0.1",
                                "172.31.255.255",
                                "192.0.0.1",
                                "192.0.2.1",
                                "192.168.1.1",
                                "198.18.0.1",
                                "198.19.255.255",
                                "198.51.100.1",
                                "203.0.113.1",
                                "224.0.0.1",
                                "239.1.1.1",
                                "240.0.0.1",
                                "255.255.255.255",
                                "::",
                                "::1",
                                "::7f00:1",
                                "::ffff:127.0.0.1",
                                "::ffff:8.8.8.8",
                                "fe80::1",
                                "fec0::1",
                                "fc00::1",
                                "fd12::1",
                                "ff02::1",
                                "2001:db8::1",
                                "2001::1",
                                "2002:7f00:1::",
                                "64:ff9b::7f00:1",
                                "64:ff9b::a00:1",
                                "64:ff9b:1::808:808",
                                "100::1",
                                "3fff::1",
                                "4000::1"})
        CHECK_FALSE_MESSAGE(is_public(address), address);
}
TEST_CASE("an address is read in the forms that people write, and a link as browsers follow it") {
    CHECK(read_address(" https://example.org/wiki/Stra\xC3\x9F"
                       "e 1#top\n")
              .text() == "https://example.org/wiki/Stra%C3%9Fe%201");
    for (const char* text : {"", "example.org", "file:///etc/passwd", "ftp://example.org/", "gopher://example.org/",
                             "https://user:word@example.org/", "javascript:alert(1)", "http://", "http://[::1",
                             "http://example.org\r\nHost: x/"})
        CHECK_THROWS_AS(read_address(text), Error);
    CHECK(follow("https://a.org/b/c?d", "https://e.org/f") == "https://e.org/f");
    CHECK(follow("https://a.org/b/c?d", "//e.org/f") == "https://e.org/f");
    CHECK(follow("https://a.org/b/c?d", "/f?g") == "https://a.org/f?g");
    CHECK(follow("https://a.org/b/c?d", "f") == "https://a.org/b/f");
    CHECK(follow("https://a.org/b/c?d", "../../f/./g/..") == "https://a.org/f/");
    CHECK(follow("https://a.org/b/c?d", "?e=/../:") == "https://a.org/b/c?e=/../:");
    CHECK(follow("https://a.org/b/c?d", "#e") == "https://a.org/b/c?d");
    CHECK(follow("http://a.org:81", "g/h") == "http://a.org:81/g/h");
    CHECK_THROWS_AS(follow("https://a.org/", "file:///etc/passwd"), Error);
    CHECK_THROWS_AS(follow("https://a.org/", "//user@e.org/"), Error);
}
TEST_CASE("a page is reduced to its text in lines, without markup, scripts and comments") {
    CHECK(html_text(
              "<!DOCTYPE html><html><head><title>Tea &amp; more</title><style>p { a: '>' }</style>"
              "<script>if (a < b) document.write('</p>');</SCRIPT ></head>\n<body>\n<h1 class='a>b'>Tea</h1>"
              "<p>is  <b>hot</b>\n &#169;&#x20AC;&nbsp;&lt;i&gt;<br/>wet<!-- <p>no</p> --></p><ul><li>one<li>two</ul>"
              "<table><tr><td>a</td><td>b</td></tr></table><pre>x\n  y</pre></body></html>") ==
          "Tea & more\n\nTea\n\nis hot \u00A9\u20AC <i>\nwet\n\n- one\n- two\na b\nx\n  y");
}
TEST_CASE("text that is not markup stays, and broken markup removes as little text as possible") {
    CHECK(html_text("1 < 2 & 3 &unknown; &#0; &#xD800; &#12345678; a<b") ==
          "1 < 2 & 3 &unknown; \uFFFD \uFFFD &#12345678; a");
    CHECK(html_text("a<script>b").substr(0, 1) == "a");
    CHECK(html_text("a<!-- b") == "a");
    CHECK(html_text("a<p title=\"b") == "a");
    CHECK(html_text("\xFF") == "\uFFFD");
    CHECK(html_text("").empty());
    CHECK(html_text("<").substr(0, 1) == "<");
    CHECK(html_text("a<scriptor>b</scriptor>") == "ab");
}
TEST_CASE("a megabyte of hostile markup is read in linear time") {
    for (const char* part : {"<", "<a \"", "<!--", "<script>", "</", "&", "&#", "<p>", "<pre>\n", "<li>", "</script",
                             "<a '\">", "<script></"}) {
        std::string page;
        while (page.size() < 1'000'000) page += part;
        CHECK(html_text(page).size() <= page.size());
    }
}
