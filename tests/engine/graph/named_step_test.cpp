// Steps made of lambdas with names.
#include "engine/asio.hpp"
#include "engine/graph.hpp"
#include "engine/named_step.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct NameEvent : StartEvent {
    std::string text;
};
struct WordEvent {
    std::string text;
};
struct GreetingEvent : StopEvent {
    std::string text;
};
struct Punctuation {
    std::string mark;
};
inline constexpr auto split = named_step<"split">([](Context&, NameEvent name) {
    std::vector<WordEvent> words;
    for (char c : name.text) words.push_back({std::string(1, c)});
    return words;
});
inline constexpr auto wait = named_step<"wait">([](Context& ctx, WordEvent word) -> awaitable<WordEvent> {
    if (word.text == "x") co_await sleep_for(1h);
    if (ctx.attempt() == 1) throw std::runtime_error("not yet");
    co_await sleep_for(1ms);
    co_return WordEvent{word.text + word.text};
});
inline constexpr auto join = named_step<"join">(
    [](Context&, std::vector<WordEvent> words, const Punctuation& punctuation) -> GreetingEvent {
        std::string all;
        for (auto& w : words) all += w.text;
        return {.text = all + punctuation.mark};
    });
struct PairEvent {
    std::string text;
};
inline constexpr auto shouting = workflow(
    "shouting", split, named_step<"pair">([](Context&, WordEvent word) { return PairEvent{word.text + word.text}; }),
    named_step<"join">([](Context&, std::vector<PairEvent> pairs, const Punctuation& punctuation) {
        std::string all;
        for (auto& p : pairs) all += p.text;
        return GreetingEvent{.text = all + punctuation.mark};
    }));

struct GoEvent : StartEvent {
    std::string text;
};
inline constexpr auto waiting = workflow(
    "waiting", named_step<"begin">([](Context&, GoEvent go) { return WordEvent{go.text}; }),
    named_step<"knock">([](Context& ctx, WordEvent word) -> awaitable<GreetingEvent> {
        if (word.text == "late") co_await sleep_for(1h);
        if (ctx.attempt() < 3) throw std::runtime_error("nobody is there");
        co_return GreetingEvent{.text = word.text};
    })
        .workers(2)
        .timeout(1s)
        .retry({.attempts = 3, .wait = {}}));
}

TEST_CASE("a lambda under a name is a step: it runs, takes resources, fans out and collects") {
    Punctuation mark{"!"};
    CHECK(run(shouting.with(mark), {.text = "abc"}).text == "aabbcc!");
}
TEST_CASE("a named step has policies, and its failures name it") {
    CHECK(testing::run(waiting, {.text = "hello"}).text == "hello");
    CHECK_THROWS_WITH_AS(testing::run(waiting, {.text = "late"}),
                         "step knock failed: step knock took longer than its timeout of 1 s", RunError);
}
TEST_CASE("a named step is drawn under its name") {
    const auto text = mermaid(graph_of(waiting));
    CHECK(text.find("[\"begin\"]:::step") != std::string::npos);
    CHECK(text.find("[\"knock\"]:::step") != std::string::npos);
    CHECK(text.find("lambda") == std::string::npos);
    CHECK(split.name == "split");
}
TEST_CASE("a named step is tested by a call, as a function is") {
    Context ctx;
    CHECK(split(ctx, NameEvent{.text = "ab"}).size() == 2);
    CHECK(join(ctx, {WordEvent{"a"}, WordEvent{"b"}}, Punctuation{"?"}).text == "ab?");
    Context second_attempt;
    testing::ManualClock clock;
    CHECK_THROWS_WITH(testing::await(wait(ctx, WordEvent{"a"}), clock), "not yet");
}
