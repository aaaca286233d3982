// The conversation that an agent remembers.
#include "steps/agents/memory/memory.hpp"
#include <doctest/doctest.h>
#include <thread>
using namespace weft::agents;

// shows L-09
TEST_CASE("a run's question and answer are remembered together, and once") {
    ConversationMemory memory;
    memory.append("run 1", {"a?", "a"});
    memory.append("run 1", {"a?", "again"});
    memory.append("run 2", {"b?", "b"});
    memory.append("", {"c?", "c"});
    memory.append("", {"d?", "d"});

    const auto messages = memory.read("");

    REQUIRE(messages.size() == 8);
    CHECK(messages[0].content == "a?");
    CHECK(messages[1].content == "a");
    CHECK(messages[1].role == weft::models::Role::assistant);
    CHECK(messages[7].content == "d");
}
TEST_CASE("the memory is bounded: the oldest exchanges are dropped first, the last one stays") {
    ConversationMemory few(2);
    for (const auto* text : {"a", "b", "c"}) few.append(text, {text, text});
    CHECK(few.read("").size() == 4);
    CHECK(few.read("")[0].content == "b");

    ConversationMemory small(100, 10);
    small.append("1", {"1234", "1234"});
    small.append("2", {"12345678", "12345678"});
    CHECK(small.read("").size() == 2);
    CHECK(small.read("")[0].content == "12345678");
}
TEST_SUITE("threads") {
    TEST_CASE("many threads append and read whole exchanges") {
        ConversationMemory memory(10'000);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&memory, t] {
                for (int i = 0; i < 200; ++i) {
                    const auto text = std::to_string(t * 1000 + i);
                    memory.append(text, {text, text});
                    if (i % 20 == 0 && memory.read("").size() % 2) std::abort();
                }
            });
        for (auto& thread : threads) thread.join();

        const auto messages = memory.read("");

        CHECK(messages.size() == 1600);
        for (std::size_t i = 0; i < messages.size(); i += 2) REQUIRE(messages[i].content == messages[i + 1].content);
    }
}
TEST_CASE("an empty memory stays empty") {
    no_memory().append("1", {"a", "b"});
    CHECK(no_memory().read("").empty());
}
