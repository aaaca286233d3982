// A run that waits for weeks: its sleeps in virtual time.
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/recorder.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct Post {
    std::vector<std::string> letters;
};
// [declare]
struct TrialEvent : StartEvent {
    std::string customer;
};
BOOST_DESCRIBE_STRUCT(TrialEvent, (), (customer))
struct EndedEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EndedEvent, (), (text))
awaitable<bool> write_to(Post& post, std::string letter) {
    post.letters.push_back(std::move(letter));
    co_return true;
}
awaitable<EndedEvent> accompany(Context& ctx, TrialEvent trial, Post& post) {
    auto welcome = write_to(post, "Welcome, " + trial.customer + "!");
    co_await ctx.once("welcome", std::move(welcome));
    co_await ctx.sleep(13 * 24h);
    auto reminder = write_to(post, "One day is left.");
    co_await ctx.once("reminder", std::move(reminder));
    co_await ctx.sleep(24h);
    co_return EndedEvent{.text = "The trial of " + trial.customer + " is over."};
}
inline constexpr auto trial = workflow("trial", step<accompany>);
// [/declare]
}

// [test]
TEST_CASE("a trial lasts two weeks, and sends two letters") {
    Post post;
    MemoryStore store;
    testing::ManualClock clock;
    const auto begin = clock.wall();

    auto ended = testing::run(durable(trial.with(post)), {.customer = "Ann"}, {.clock = &clock, .store = &store});

    CHECK(ended.text == "The trial of Ann is over.");
    CHECK(post.letters == std::vector<std::string>{"Welcome, Ann!", "One day is left."});
    CHECK(clock.wall() - begin == 14 * 24h);
}
// [/test]
