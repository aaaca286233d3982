// Signals: events that callers send at any time, to runs in memory and by mail to stored runs.
#include "engine/all.hpp"
#include "engine/testing/await.hpp"
#include "tests/engine/durable/watched.hpp"
using namespace watches;

TEST_CASE("each signal makes an invocation of the step that accepts it") {
    asio::io_context io{1};
    Loop loop(io.get_executor());
    auto run = loop.start(counted_watch, {});
    io.run();
    CHECK(run.idle());
    CHECK(run.diagnosis() == "the run is idle: it waits for signal PauseEvent");

    for (const char* by : {"a", "b", "c"}) run.send(PauseEvent{.by = by});
    io.restart();
    io.run();

    CHECK(run.outcome().by == "abc");
}
TEST_CASE("a signal leaves an open question open, and is unhandled with a question's id") {
    asio::io_context io{1};
    Loop loop(io.get_executor());
    auto run = loop.start(asking_watch, {});
    io.run();

    run.send(PauseEvent{.by = "a"});
    run.send(PauseEvent{.by = "b"}, QuestionId{0});
    io.restart();
    io.run();
    CHECK(run.idle());
    run.send(WatchOverEvent{});
    io.restart();
    io.run();

    CHECK(run.outcome().by == "a");
}
TEST_CASE("a signal by mail counts once when it is sent twice") {
    MemoryStore store;
    {
        Shop shop(store);
        auto run = shop.loop.start(durable<>(counted_watch), {}, {.id = "w"});
        shop.io.run();
        CHECK(run.idle());
    }
    for (const char* by : {"a", "a", "b", "c"}) mail_pause(store, by, by);

    Shop shop(store);
    auto run = resume_on(shop.loop, durable<>(counted_watch), "w");
    shop.io.run();

    CHECK(run.outcome().by == "abc");
    store.load(
        "w", [](std::exception_ptr, storage::History history) { CHECK(history.mail.empty()); }, 0);
}
TEST_CASE("each signal by mail is taken once when the process dies at any call of the store") {
    bool died = true;
    long calls = 1;
    for (; died; ++calls) {
        CAPTURE(calls);
        MemoryStore store;
        {
            Shop shop(store);
            auto run = shop.loop.start(durable<>(counted_watch), {}, {.id = "w"});
            shop.io.run();
        }
        for (const char* by : {"a", "b", "c"}) mail_pause(store, by, by);
        {
            Dying dying(store, calls);
            Shop shop(dying);
            auto run = resume_on(shop.loop, durable<>(counted_watch), "w");
            shop.io.run();
            died = dying.left <= 0;
        }
        free_all(store);
        const auto before = [&] {
            RunStatus status{};
            store.list({.ids = {"w"}},
                       [&](std::exception_ptr, std::vector<storage::RunRow> rows) { status = rows.at(0).status; });
            return status;
        }();
        if (before == RunStatus::done) continue;
        Shop shop(store);
        auto run = resume_on(shop.loop, durable<>(counted_watch), "w");
        shop.io.run();
        REQUIRE(run.ended());
        CHECK(run.outcome().by == "abc");
    }
    CHECK(calls > 3);
}
