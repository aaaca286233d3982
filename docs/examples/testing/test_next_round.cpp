// A run that begins again with what its signals have added, in virtual time.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/replay.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace std::chrono_literals;

namespace {
// [collect]
struct SubscribeEvent : SignalEvent {
    std::string name;
};
BOOST_DESCRIBE_STRUCT(SubscribeEvent, (), (name))
struct IssueEvent : StartEvent {
    std::vector<std::string> readers;
};
BOOST_DESCRIBE_STRUCT(IssueEvent, (), (readers))
struct ClosedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(ClosedEvent, (), ())
struct NewReaders {
    std::vector<std::string> names;
};
BOOST_DESCRIBE_STRUCT(NewReaders, (), (names))
void subscribe(Context& ctx, SubscribeEvent reader) {
    ctx.edit<NewReaders>([&](auto& added) { added.names.push_back(reader.name); });
}
awaitable<std::optional<ClosedEvent>> publish(Context& ctx, IssueEvent issue) {
    if (issue.readers.empty()) co_return ClosedEvent{};
    co_await ctx.sleep(24h);
    ctx.begin_again([issue](const NewReaders& added) {
        auto next = issue;
        next.readers.insert(next.readers.end(), added.names.begin(), added.names.end());
        return next;
    });
    co_return std::nullopt;
}
inline constexpr auto daily = workflow("daily", step<publish>, step<subscribe>);
// [/collect]
}

TEST_CASE("a step begins its run again with the readers that its signals have added") {
    Context ctx;
    testing::ManualClock clock;
    subscribe(ctx, {.name = "bob"});

    testing::await(publish(ctx, {.readers = {"ann"}}), clock);

    CHECK(ctx.next_start<IssueEvent>()->readers == std::vector<std::string>{"ann", "bob"});
}
TEST_CASE("a reader who subscribes during a round is in the start event of the next round") {
    asio::io_context io;
    testing::ManualClock clock;
    MemoryStore store;
    Loop loop({io.get_executor(), &clock}, {.store = &store});

    const auto execute_ready = [&] {
        io.restart();
        io.poll();
    };

    auto run = loop.start(durable<NewReaders>(daily), {.readers = {"ann"}});
    execute_ready();
    run.send(SubscribeEvent{.name = "bob"});
    execute_ready();
    clock.advance(24h);
    execute_ready();

    const auto first = nlohmann::json::parse(history_of(store, run.id()).ticks.front().body);
    CHECK(first.dump().find(R"(["ann","bob"])") != std::string::npos);
}
