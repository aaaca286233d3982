// Children on several parallel loops, for the thread sanitizer.
#include "tests/engine/process/children.hpp"
#include <atomic>
#include <thread>
using namespace test;

namespace {
awaitable<int> talk(int rounds) {
    int right = 0;
    for (int i = 0; i < rounds; ++i) {
        Process cat(*co_await this_runtime(), script("echo begun >&2; exec cat"));
        co_await cat.write(std::string(100'000, 'x') + "\n");
        const auto line = co_await next_line(cat);
        if (i % 2 == 0) co_await cat.stop();  // else the destructor ends it
        right += line.size() == 100'000;
    }
    co_return right;
}
}

TEST_SUITE("threads") {
    TEST_CASE("several loops start, use and end children at the same time") {
        std::atomic<int> right = 0;
        std::vector<std::thread> loops;
        for (int i = 0; i < 4; ++i) loops.emplace_back([&] { right += testing::await(talk(10)); });
        for (auto& loop : loops) loop.join();
        CHECK(right == 40);
        CHECK(comes_true(is_childless));
    }
}
