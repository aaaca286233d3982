#include "engine/net/gunzip.hpp"
#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include "engine/testing/await.hpp"
#include "tests/support/cuts.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/packed.hpp"
#include "tests/support/rude_server.hpp"
#include <doctest/doctest.h>
#include <future>
using namespace weft;
using namespace weft::net;
using namespace std::chrono_literals;
using testing::packed;
using testing::Peer;

namespace {
constexpr int zlib = MAX_WBITS, raw = -MAX_WBITS;
std::string unpack(const std::vector<std::string_view>& pieces, const char* encoding = "gzip",
                   std::size_t limit = 64 << 20) {
    auto gunzip = Gunzip::for_encoding(encoding, limit);
    std::string text;
    for (auto piece : pieces) gunzip->feed(piece, text);
    gunzip->finish();
    return text;
}
Failure failure_of(std::string_view bytes, const char* encoding = "gzip", std::size_t limit = 64 << 20) {
    try {
        unpack({bytes}, encoding, limit);
    } catch (const NetError& e) { return e.failure(); }
    FAIL("accepted");
    return Failure::connect;
}
std::string chunk(const std::string& bytes) {
    char size[16];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    return size + bytes + "\r\n";
}
NetError error_of(std::string body, std::string encoding, HttpLimits limits = {}) {
    testing::RudeServer server({testing::always(200, body, "Content-Encoding: " + encoding + "\r\n")});
    HttpClient client;
    HttpRequest request{.url = server.url(), .limits = limits};
    try {
        testing::await(client.send(request));
    } catch (const NetError& e) { return e; }
    FAIL("accepted");
    return NetError(Failure::connect, "");
}
}

TEST_CASE("compressed bytes give the same text however they are cut") {
    const std::string text = "data: {\"a\":1}\n\ndata: {\"a\":1}\n\n: x\n\n";
    const auto check = [&](const std::string& bytes, const char* encoding, const std::string& expected) {
        testing::for_all_cuts(bytes, [&](const auto& pieces) { REQUIRE(unpack(pieces, encoding) == expected); });
    };
    check(packed(text), "gzip", text);
    check(packed(text), "X-GZip", text);
    check(packed(text) + packed("") + packed(text), "gzip", text + text);
    check(packed(text, zlib), "deflate", text);
    check(packed(text, raw), "deflate", text);
    check("", "gzip", "");
    const std::string large(300'000, 'x');  // more than one buffer
    CHECK(unpack({packed(large)}) == large);
}
TEST_CASE("flushed data is delivered before the rest arrives") {
    const auto pieces = testing::packed_pieces({"data: one\n\n", "data: two\n\n"});
    Gunzip gunzip(Gunzip::Form::gzip, 1000);
    std::string text;
    gunzip.feed(pieces[0], text);
    CHECK(text == "data: one\n\n");

    std::promise<void> seen;
    testing::RudeServer server({[&](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(pieces[0]));
        CHECK(seen.get_future().wait_for(test::limit) == std::future_status::ready);
        peer.send(chunk(pieces[1]) + "0\r\n\r\n");
        peer.wait_for_end();
    }});
    auto read = [&](HttpClient& client, const HttpRequest& request) -> awaitable<std::string> {
        auto stream = co_await client.open(request);
        std::string all;
        for (;;) {
            const auto piece = co_await stream.read();
            if (piece.empty()) co_return all;
            if (all.empty()) seen.set_value();
            (all += piece) += '|';
        }
    };
    HttpClient client;
    const HttpRequest request{.url = server.url()};
    CHECK(testing::await(read(client, request)) == "data: one\n\n|data: two\n\n|");
    CHECK(server.requests().at(0).find("\r\nAccept-Encoding: gzip\r\n") != std::string::npos);
}
TEST_CASE("broken, truncated or continued compressed data is an error") {
    const auto good = packed("hello, hello, hello");
    auto wrong_sum = good;
    wrong_sum[wrong_sum.size() - 5] ^= 1;
    CHECK(failure_of("no gzip at all") == Failure::protocol);
    CHECK(failure_of(wrong_sum) == Failure::protocol);
    CHECK(failure_of(good + "garbage") == Failure::protocol);
    CHECK(failure_of(packed("x", zlib) + "garbage", "deflate") == Failure::protocol);
    for (std::size_t n = 1; n < good.size(); ++n) REQUIRE(failure_of(good.substr(0, n)) == Failure::truncated);
    CHECK(failure_of("x", "deflate") == Failure::truncated);
    CHECK_THROWS_AS(Gunzip::for_encoding("br", 1000), NetError);
    CHECK_THROWS_AS(Gunzip::for_encoding("gzip, gzip", 1000), NetError);
    CHECK(Gunzip::for_encoding("identity", 1000) == nullptr);
}
TEST_CASE("a decompression bomb is refused: by its unpacked size, and by its ratio") {
    CHECK(failure_of(packed(std::string(5000, 'x')), "gzip", 4999) == Failure::too_large);
    CHECK(failure_of(packed(std::string(3 << 20, 'x'))) == Failure::too_large);
    const auto limited = error_of(packed(std::string(5000, 'x')), "gzip", {.body = 4000});
    CHECK(std::string(limited.what()) == "the server's answer unpacks to more than 4000 bytes");
    CHECK(std::string(error_of(packed(std::string(3 << 20, 'x')), "gzip").what()) ==
          "the server's answer unpacks to more than 200 times its size");
    CHECK(error_of("x", "br").failure() == Failure::protocol);
    CHECK(error_of("x", "gzip").failure() == Failure::truncated);
}
