// Sealed states that a client keeps between two calls.
#include "workflows/mcp/seal.hpp"
#include <doctest/doctest.h>

using weft::WallTime;
using weft::mcp_server::StateSeal;
using namespace std::chrono_literals;

TEST_CASE("a sealed state is opened only by its own seal, for its own purpose, until its time") {
    const StateSeal seal, other;
    const WallTime now{1'800'000'000s};

    const auto text = seal.close("run 7", "refund of A-17", now + 60s);

    CHECK(seal.open(text, "refund of A-17", now) == "run 7");
    CHECK(seal.open(text, "refund of A-17", now + 60s) == "run 7");
    CHECK_FALSE(seal.open(text, "refund of A-17", now + 61s));
    CHECK_FALSE(seal.open(text, "refund of A-18", now));
    CHECK_FALSE(other.open(text, "refund of A-17", now));
}
TEST_CASE("a sealed state is not opened when any character was changed") {
    const StateSeal seal;
    const WallTime now{1'800'000'000s};
    const auto text = seal.close("run 7", "refund", now + 60s);

    for (std::size_t i = 0; i < text.size(); ++i) {
        auto changed = text;
        changed[i] = changed[i] == '1' ? '2' : '1';
        CHECK_FALSE(seal.open(changed, "refund", now));
        CHECK_FALSE(seal.open(text.substr(0, i), "refund", now));
    }
    CHECK_FALSE(seal.open(text + "-TAMPERED", "refund", now));
    CHECK_FALSE(seal.open(std::string(1 << 20, '.'), "refund", now));
}
