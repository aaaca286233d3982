// A run continues its work after its process has ended: attempts and their waits, children, deadlines, questions,
// mail; also under a changed declaration.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/once.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/timed.hpp"
#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::storage;
using namespace dying;
using namespace std::chrono_literals;

namespace {
struct JobEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(JobEvent, (), (n))
struct MiddleEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(MiddleEvent, (), (n))
struct EndEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (text))
struct AskEvent : InputRequiredEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(AskEvent, (), (n))
struct TellEvent : Answers<AskEvent> {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(TellEvent, (), (text))

struct Flaky {
    int calls = 0, fails = 0;
    std::vector<std::string> keys;
};
awaitable<EndEvent> attempt(Context& ctx, JobEvent, Flaky& flaky) {
    flaky.keys.push_back(ctx.key());
    co_await sleep_for(1ms);
    if (++flaky.calls <= flaky.fails) throw std::runtime_error("not yet");
    co_return EndEvent{.text = std::to_string(ctx.attempt())};
}
inline constexpr auto flaky_job = workflow("flaky_job", step<attempt>.retry({.attempts = 5, .wait = fixed(1h)}));
}

TEST_CASE("a wait between two attempts continues after a restart, and the count of attempts too") {
    testing::ManualClock clock;
    MemoryStore store;
    Flaky flaky{.fails = 3};
    const auto begin = clock.now();
    {
        Timed world(clock, store);
        auto run = world.loop.start(durable<>(flaky_job.with(flaky)), {}, {.id = "j"});
        world.until([&] { return flaky.calls == 2; });
        world.run();
        CHECK_FALSE(run.ended());
    }
    clock.advance(10min);
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(flaky_job.with(flaky)), "j");
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().text == "4");
    CHECK(flaky.calls == 4);
    CHECK(clock.now() - begin > 3h);
    CHECK(clock.now() - begin < 3h + 1min);
    for (auto& key : flaky.keys) CHECK(key == flaky.keys.front());
}
TEST_CASE("a deadline is a date: it ends a run that was out of memory for longer as soon as that is resumed") {
    testing::ManualClock clock;
    MemoryStore store;
    Flaky flaky{.fails = 9};
    {
        Timed world(clock, store);
        auto run = world.loop.start(durable<>(flaky_job.with(flaky)), {}, {.timeout = 90min, .id = "j"});
        world.until([&] { return flaky.calls == 1; });
    }
    clock.advance(2h);
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(flaky_job.with(flaky)), "j");
    world.until([&] { return run.ended(); });
    CHECK_THROWS_WITH_AS(run.outcome(), "the run has not ended within 5400 s", RunError);
    // and a later handle gets the same end
    Timed later(clock, store);
    auto again = resume_on(later.loop, durable<>(flaky_job.with(flaky)), "j");
    later.until([&] { return again.ended(); });
    CHECK_THROWS_WITH_AS(again.outcome(), "the run has not ended within 5400 s", RunError);
}
TEST_CASE("a failed run is resumed as failed, with its error and code") {
    testing::ManualClock clock;
    MemoryStore store;
    Flaky flaky{.fails = 9};
    Timed world(clock, store);
    auto run = world.loop.start(durable<>(flaky_job.with(flaky)), {}, {.id = "j"});
    world.until([&] { return run.ended(); });
    const auto calls = flaky.calls;
    Timed later(clock, store);
    auto again = resume_on(later.loop, durable<>(flaky_job.with(flaky)), "j");
    later.until([&] { return again.ended(); });
    CHECK_THROWS_WITH_AS(again.outcome(), "step attempt failed: not yet", RunError);
    CHECK(flaky.calls == calls);
}

namespace {
AskEvent inquire(Context&, JobEvent job) { return {.n = job.n}; }
EndEvent hear(Context&, TellEvent tell) { return {.text = tell.text}; }
inline constexpr auto inquiry = workflow("inquiry", step<inquire>, step<hear>);
awaitable<EndEvent> two_children(Context& ctx, JobEvent, Flaky& flaky) {
    std::string text;
    for (int i = 0; i < 2; ++i) {
        JobEvent job;
        job.n = i;
        auto stored = durable<>(inquiry);
        auto end = co_await ctx.run(std::move(stored), std::move(job));
        ++flaky.calls;
        text += end.text;
    }
    EndEvent end;
    end.text = text;
    co_return end;
}
inline constexpr auto parents = workflow("parents", step<two_children>);
awaitable<void> answer_all(RunOf<parents> run) {
    while (auto event = co_await run.next_event())
        if (auto* ask = event->get_if<AskEvent>())
            run.send_to_child(TellEvent{.text = "answer " + std::to_string(ask->n) + "."}, event->question());
}
}
TEST_CASE("a child run is in the journal of its root, and resumes wherever the process dies") {
    for (long calls = 1; calls < 40; ++calls) {
        CAPTURE(calls);
        MemoryStore store;
        Flaky flaky;
        bool done = false;
        {
            Dying dying(store, calls);
            Shop shop(dying);
            auto run = shop.loop.start(durable<>(parents.with(flaky)), {}, {.id = "p"});
            spawn(shop.loop.runtime(), answer_all(run), [](std::exception_ptr) {});
            shop.io.run();
            done = run.ended();
        }
        free_all(store);
        Shop shop(store);
        auto run = resume_on(shop.loop, durable<>(parents.with(flaky)), "p");
        spawn(shop.loop.runtime(), answer_all(run), [](std::exception_ptr) {});
        shop.io.run();
        CHECK(run.outcome().text == "answer 0.answer 1.");
        if (!done) continue;
        CHECK(calls >= 7);
        return;
    }
    FAIL("the run never came to its end");
}
TEST_CASE("an answer from the mailbox arrives once, and one without a question is removed too") {
    MemoryStore store;
    {
        Shop shop(store);
        auto run = shop.loop.start(durable<>(inquiry), {.n = 1}, {.id = "q"});
        shop.io.run();
        CHECK(run.idle());
    }
    const auto send = [&](std::string id, std::string body) {
        store.send({"q", id, body}, [](std::exception_ptr error, SendReply) { CHECK_FALSE(error); });
    };
    send("a", R"({"event": "NoEvent", "data": {}})");
    send("b", R"({"event": "TellEvent", "data": {"text": 7}})");
    send("c", R"({"event": "TellEvent", "data": {"text": "by mail"}})");
    send("c", R"({"event": "TellEvent", "data": {"text": "by mail"}})");
    Shop shop(store);
    auto run = resume_on(shop.loop, durable<>(inquiry), "q");
    shop.io.run();
    CHECK(run.outcome().text == "by mail");
    store.load(
        "q", [](std::exception_ptr, History history) { CHECK(history.mail.empty()); }, 0);
}
TEST_CASE("an answer from the mailbox reaches the asking child run, and no other") {
    MemoryStore store;
    Flaky flaky;
    {
        Shop shop(store);
        auto run = shop.loop.start(durable<>(parents.with(flaky)), {}, {.id = "p"});
        shop.io.run();
        CHECK(run.idle());
    }
    for (int i = 0; i < 2; ++i) {
        nlohmann::json answer{{"event", "TellEvent"}, {"data", {{"text", "answer " + std::to_string(i) + "."}}}};
        store.load(
            "p",
            [&](std::exception_ptr, History history) {
                for (auto& tick : history.ticks) {
                    const auto body = nlohmann::json::parse(tick.body);
                    if (!body.contains("asked")) continue;
                    answer["run"] = body.at("run");
                    answer["question"] = body.at("asked")[0].at("question");
                }
            },
            0);
        auto elsewhere = answer;
        elsewhere["run"] = "9.9.9.9";
        store.send({"p", "lost " + std::to_string(i), elsewhere.dump()}, [](std::exception_ptr, SendReply) {});
        store.send({"p", "mail " + std::to_string(i), answer.dump()}, [](std::exception_ptr, SendReply) {});
        Shop shop(store);
        auto run = resume_on(shop.loop, durable<>(parents.with(flaky)), "p");
        shop.io.run();
        CHECK(run.ended() == (i == 1));
        if (run.ended()) CHECK(run.outcome().text == "answer 0.answer 1.");
    }
}

// --- another declaration ---
namespace {
MiddleEvent first(Context&, JobEvent job) { return {.n = job.n}; }
awaitable<EndEvent> second(Context&, MiddleEvent event, Flaky& flaky) {
    co_await sleep_for(1h);
    ++flaky.calls;
    EndEvent end;
    end.text = std::to_string(event.n);
    co_return end;
}
std::variant<MiddleEvent, AskEvent> first_or_ask(Context&, JobEvent job) {
    if (job.n > 5) return AskEvent{.n = job.n};
    return MiddleEvent{.n = job.n};
}
awaitable<EndEvent> second_now(Context&, MiddleEvent event) {
    co_await sleep_for(1ms);
    EndEvent end;
    end.text = "now " + std::to_string(event.n);
    co_return end;
}
inline constexpr auto job = workflow("job", step<first>, step<second>);
inline constexpr auto grown = workflow("job", step<hear>, step<first_or_ask>, step<second>.workers(2));
inline constexpr auto renamed = workflow("job", step<first>, step<second_now>);
}
TEST_CASE("a run resumes under a larger declaration if all its live parts are still there") {
    testing::ManualClock clock;
    MemoryStore store;
    Flaky flaky;
    {
        Timed world(clock, store);
        world.loop.start(durable<>(job.with(flaky)), {.n = 4}, {.id = "j"});
        world.run();
    }
    for (int i = 0; i < 2; ++i) {  // folds the carried-over run again
        Timed world(clock, store);
        auto run = resume_on(world.loop, durable<>(grown.with(flaky)), "j");
        world.run();
        CHECK_FALSE(run.ended());
    }
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(grown.with(flaky)), "j");
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().text == "4");
    CHECK(flaky.calls == 1);
}
TEST_CASE("a running step is named when it is no longer declared, unless its new name is given") {
    testing::ManualClock clock;
    MemoryStore store;
    Flaky flaky;
    {
        Timed world(clock, store);
        world.loop.start(durable<>(job.with(flaky)), {.n = 4}, {.id = "j"});
        world.run();
    }
    {
        Timed world(clock, store);
        auto run = resume_on(world.loop, durable<>(renamed), "j");
        world.until([&] { return run.ended(); });
        CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("does not have step second: declare it again"), RunError);
    }
    free_all(store);
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(renamed), "j", {.renames = {{"second", "second_now"}}});
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().text == "now 4");
}
namespace {
/// Starts a run in a process that dies after `calls` calls of the store; then `times` processes resume it and die.
template <class W> void die_again_and_again(MemoryStore& store, const W& workflow, long calls, int times) {
    testing::ManualClock clock;
    for (int i = 0; i <= times; ++i) {
        Dying dying(store, i == 0 ? calls : 0);
        Timed world(clock, dying);
        auto run = i == 0 ? world.loop.start(workflow, {.n = 4}, {.id = "j"}) : resume_on(world.loop, workflow, "j");
        world.run();
        CHECK_FALSE(run.ended());
        store.heartbeat({.id = "another engine"},
                        [](std::exception_ptr error, HeartbeatReply) { REQUIRE_FALSE(error); });
    }
}
}
TEST_CASE("a run ends as failed when the process dies again and again at one step, and a waiting run does not") {
    testing::ManualClock clock;
    Flaky flaky;
    {
        MemoryStore store;
        die_again_and_again(store, durable<>(job.with(flaky)), 2, 18);
        Timed world(clock, store);
        auto run = resume_on(world.loop, durable<>(job.with(flaky)), "j");
        world.until([&] { return run.ended(); });
        CHECK(run.outcome().text == "4");
    }
    MemoryStore store;
    die_again_and_again(store, durable<>(job.with(flaky)), 2, 19);
    for (int i = 0; i < 2; ++i) {  // the failure is stored
        Timed world(clock, store);
        auto run = resume_on(world.loop, durable<>(job.with(flaky)), "j");
        world.until([&] { return run.ended(); });
        CHECK_THROWS_WITH(run.outcome(), doctest::Contains("20 processes ended or lost their lease during step second, "
                                                           "and no step of the run finished"));
    }
    MemoryStore waits;
    die_again_and_again(waits, durable<>(inquiry), 2, 29);
}
