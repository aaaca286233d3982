#include "engine/net/net_error.hpp"
#include "engine/net/response_parser.hpp"
#include "tests/support/cuts.hpp"
#include <doctest/doctest.h>
using namespace weft::net;

namespace {
struct Read {
    unsigned status;
    std::string body;
    bool keep;
    bool operator==(const Read&) const = default;
};
Read read(const std::vector<std::string_view>& pieces, std::size_t header_limit = 1000, std::size_t body_limit = 1000) {
    ResponseParser parser(header_limit, body_limit);
    std::string body;
    for (auto piece : pieces) parser.feed(piece, body);
    if (!parser.done()) parser.finish();
    return {parser.status(), body, parser.may_keep_alive()};
}
Failure failure_of(std::string_view bytes) {
    try {
        read({bytes});
    } catch (const NetError& e) { return e.failure(); }
    FAIL("accepted: ", std::string(bytes));
    return Failure::connect;
}
}

TEST_CASE("an answer is read the same however its bytes are cut") {
    const auto check = [](std::string_view bytes, const Read& expected) {
        weft::testing::for_all_cuts(bytes, [&](const auto& pieces) { REQUIRE(read(pieces) == expected); });
    };
    check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", {200, "hello", true});
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nX-Trailer: y\r\n\r\n",
          {200, "hello", true});
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {200, "", true});
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: y\r\n\r\n", {200, "", true});
    check("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello", {200, "hello", false});
    check("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n", {429, "", true});
    check("HTTP/1.1 204 None\r\n\r\n", {204, "", true});
}
TEST_CASE("headers are found in any case") {
    ResponseParser parser(1000, 1000);
    std::string body;
    parser.feed("HTTP/1.1 200 OK\r\nretry-AFTER:  7 \r\n\r\n", body);
    REQUIRE(parser.has_header());
    CHECK(find_header(parser.headers(), "Retry-After") == "7");
    CHECK(find_header(parser.headers(), "Retry").empty());
}
TEST_CASE("bytes after a chunked body are not read as a header, however they are cut") {
    const std::string_view bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: a\r\n\r\n5\r\nhello\r\n0\r\n"
                                   "Content-Encoding: gzip\r\nETag: b\r\n\r\n";
    weft::testing::for_all_cuts(bytes, [&](const auto& pieces) {
        ResponseParser parser(1000, 1000);
        std::string body;
        for (auto piece : pieces) parser.feed(piece, body);
        REQUIRE(parser.done());
        REQUIRE(body == "hello");
        REQUIRE(parser.headers().size() == 2);
        REQUIRE(find_header(parser.headers(), "ETag") == "a");
    });
}
TEST_CASE("an incomplete response is not an answer") {
    CHECK(failure_of("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell") == Failure::truncated);
    CHECK(failure_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe") == Failure::truncated);
    CHECK(failure_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n") == Failure::truncated);
    CHECK(failure_of("HTTP/1.1 200 OK\r\nContent-Le") == Failure::truncated);
    CHECK(failure_of("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n") == Failure::truncated);
    CHECK(failure_of("") == Failure::truncated);
}
TEST_CASE("an unsound HTTP response is refused") {
    CHECK(failure_of("SSH-2.0-OpenSSH_9.2\r\n") == Failure::protocol);
    CHECK(failure_of("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello") == Failure::protocol);
    CHECK(failure_of("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n") ==
          Failure::protocol);
    CHECK(failure_of("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n") == Failure::protocol);
    CHECK(failure_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n") == Failure::protocol);
}
TEST_CASE("headers and bodies are bounded") {
    CHECK(failure_of("HTTP/1.1 200 OK\r\nX: " + std::string(2000, 'x')) == Failure::too_large);
    CHECK(failure_of("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n") == Failure::too_large);
    CHECK(failure_of("HTTP/1.1 200 OK\r\n\r\n" + std::string(1001, 'x')) == Failure::too_large);
    CHECK(failure_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + std::string(1001, 'x')) ==
          Failure::too_large);
    CHECK(failure_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(40000, 'x')) ==
          Failure::too_large);
    std::string interim;
    for (int i = 0; i < 20; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
    CHECK(failure_of(interim) == Failure::protocol);
}
TEST_CASE("a head is bounded by the same number of bytes however it is cut") {
    const std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n\r\nhi";
    const auto head = answer.size() - 2;
    weft::testing::for_all_cuts(answer, [&](const auto& pieces) {
        REQUIRE(read(pieces, head) == Read{200, "hi", true});
        for (std::size_t less = 1; less <= 8; ++less) REQUIRE_THROWS_AS(read(pieces, head - less), NetError);
    });
}
TEST_CASE("bytes after the answer make the connection unfit for another") {
    CHECK_FALSE(read({"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab"}).keep);
}
