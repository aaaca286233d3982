// Arrays with inline storage for their first values.
#include "engine/core/data/buffer.hpp"
#include <doctest/doctest.h>
#include <utility>
#include <vector>
using namespace weft;

namespace {
using Short = core::Buffer<int, 2>;
Short of(int n) {
    Short b;
    for (int i = 0; i < n; ++i) b.push_back(i);
    return b;
}
bool holds(const Short& b, int n) {
    bool same = b.size() == std::uint32_t(n);
    for (int i = 0; i < n && same; ++i) same = b[std::size_t(i)] == i;
    return same;
}
}

TEST_CASE("an array keeps its values when it outgrows its inline storage or is copied between both storages") {
    for (int n = 0; n <= 5; ++n) {
        CHECK(holds(of(n), n));
        for (int m = 0; m <= 5; ++m) {
            auto target = of(n);
            const auto source = of(m);
            target = source;
            CHECK(holds(target, m));
            target.push_back(m);
            CHECK(holds(target, m + 1));
            CHECK(holds(source, m));
            CHECK(target != source);
        }
    }
}
TEST_CASE("an array survives its assignment to itself, a swap, and a move") {
    for (int n : {1, 2, 3, 9}) {
        auto a = of(n);
        auto& same = a;
        a = same;
        CHECK(holds(a, n));
        auto b = of(n + 2);
        std::swap(a, b);
        CHECK(holds(a, n + 2));
        CHECK(holds(b, n));
        std::vector<Short> all;
        for (int i = 0; i < 20; ++i) all.push_back(of(n));
        for (const auto& one : all) CHECK(holds(one, n));
    }
}
TEST_CASE("an array of a given size has default-constructed values") {
    for (std::size_t n : {0u, 1u, 2u, 5u}) {
        const Short b(n);
        CHECK(b.size() == n);
        for (int value : b) CHECK(value == 0);
    }
    static_assert(sizeof(core::Buffer<int>) == 16);
}
