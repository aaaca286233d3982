#include "engine/net/net_error.hpp"
#include "engine/net/sse.hpp"
#include "tests/support/cuts.hpp"
#include <doctest/doctest.h>
using namespace weft::net;

namespace {
using Events = std::vector<std::string>;  // type|data|id
Events read(const std::vector<std::string_view>& pieces, SseParser::Limits limits = {}) {
    SseParser parser(limits);
    Events events;
    const auto take = [&] {
        while (auto e = parser.next())
            events.push_back(std::string(e->type) + "|" + std::string(e->data) + "|" + std::string(e->id));
    };
    for (auto piece : pieces) {
        parser.feed(piece);
        take();
    }
    parser.finish();
    take();
    return events;
}
void check_all(std::string_view bytes, const Events& expected) {
    weft::testing::for_all_cuts(bytes, [&](const auto& pieces) { REQUIRE(read(pieces) == expected); });
}
}

TEST_CASE("events are the same however the bytes are cut and whichever line end is used") {
    const Events expected{"|one|", "named|two\nlines|7", "||7", "|\xe2\x82\xac|7"};
    for (std::string end : {"\n", "\r", "\r\n"}) {
        std::string bytes = "\xef\xbb\xbf";
        for (const char* line : {"data: one", "", ": a comment", "event: named", "data: two", "data:lines", "id: 7",
                                 "unknown: field", "nonsense", "", "", "data", "", "data: \xe2\x82\xac", ""})
            bytes += line + end;
        check_all(bytes, expected);
    }
}
TEST_CASE("each line end of a mixed text counts") {
    check_all("data: a\r\n\rdata: b\n\r\ndata: c\r\r", {"|a|", "|b|", "|c|"});
}
TEST_CASE("a last event without its blank line, or even without its line end, is not lost") {
    check_all("data: a\n\ndata: b\n", {"|a|", "|b|"});
    check_all("data: a\r\n\r\ndata: b", {"|a|", "|b|"});
    check_all("event: x\n", {});
}
TEST_CASE("an event's data lacks only the first blank after the colon") {
    check_all("data:  x \n\ndata:\ty\n\n", {"| x |", "|\ty|"});
}
TEST_CASE("a byte order mark is skipped only at the beginning") {
    check_all("data: a\n\n\xef\xbb\xbf"
              "data: b\n\n",
              {"|a|"});
}
TEST_CASE("an event's type does not apply to the next event, its id does") {
    check_all("event: x\nid: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n", {"x|a|1", "|b|1", "|c|2"});
    check_all(std::string_view("id: a\0b\ndata: c\n\n", 17), {"|c|"});
}
TEST_CASE("an error is an event when a server writes it in a separate line") {
    check_all("error: {\"code\":400}\n\ndata: a\n\n", {"error|{\"code\":400}|", "|a|"});
    check_all("data: a\n\n{\"error\":\"x: y\"}\n\n", {"|a|", "|{\"error\":\"x: y\"}|"});
}
TEST_CASE("an event stream's reconnection time is used if it is a number") {
    SseParser parser;
    parser.feed("retry: 2500\nretry: soon\nretry: -1\nretry:\n");
    CHECK_FALSE(parser.next());
    CHECK(parser.retry() == std::chrono::milliseconds(2500));
}
TEST_CASE("lines and events are bounded") {
    const SseParser::Limits limits{.line = 100, .event = 200};
    const std::string fits = "data: " + std::string(94, 'x') + "\n";
    CHECK(read({fits, "\n"}, limits).size() == 1);
    CHECK_THROWS_AS(read({"data: " + std::string(95, 'x')}, limits), NetError);
    CHECK_THROWS_AS(read({"data: " + std::string(95, 'x') + "\n\n"}, limits), NetError);
    CHECK_THROWS_AS(read({fits, fits, fits}, limits), NetError);
}
TEST_CASE("a megabyte of the worst line ends is read fast") {
    for (const char* unit : {"\r", "\n", "x\r", "data\r", ":\r\n"}) {
        std::string bytes;
        while (bytes.size() < (1 << 20)) bytes += unit;
        CHECK(read({bytes}).size() <= 1);
    }
}
