#include "engine/net/ndjson.hpp"
#include "engine/net/net_error.hpp"
#include "tests/support/cuts.hpp"
#include <doctest/doctest.h>
using namespace weft::net;

namespace {
std::vector<std::string> read(const std::vector<std::string_view>& pieces, std::size_t limit = 1000) {
    NdjsonReader reader(limit);
    std::vector<std::string> lines;
    const auto take = [&] {
        while (auto line = reader.next()) lines.emplace_back(*line);
    };
    for (auto piece : pieces) {
        reader.feed(piece);
        take();
    }
    reader.finish();
    take();
    return lines;
}
}

TEST_CASE("lines are the same however the bytes are cut, from a stream") {
    const std::vector<std::string> expected{"{\"a\":1}", " {\"b\":\r2}", "last"};
    weft::testing::for_all_cuts("{\"a\":1}\n\n\r\n  \n {\"b\":\r2}\r\nlast",
                                [&](const auto& pieces) { REQUIRE(read(pieces) == expected); });
}
TEST_CASE("a line beyond the limit is refused, whether or not it has an end") {
    CHECK(read({"12345\n"}, 5).size() == 1);
    CHECK_THROWS_AS(read({"123456\n"}, 5), NetError);
    CHECK_THROWS_AS(read({"123", "456"}, 5), NetError);
}
