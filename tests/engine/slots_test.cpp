// Slots at the begin and the end of a run, and after a throwing edit.
#include "engine/core/loop/run_extras.hpp"
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/memory_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/world.hpp"
#include <barrier>
#include <doctest/doctest.h>
#include <map>
#include <thread>
using namespace weft;

namespace {
struct Lines : Growing<std::string> {};
struct Topic {
    Growing<std::string> lines;  // a list inside of a slot
    std::map<int, int> counts;
    static constexpr std::string_view undescribed_fields[] = {"counts"};
};
BOOST_DESCRIBE_STRUCT(Topic, (), (lines))
struct SayEvent : StartEvent {
    std::string text;
    bool fails = false;
};
BOOST_DESCRIBE_STRUCT(SayEvent, (), (text, fails))
struct AskEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(AskEvent, (), ())
struct GoOnEvent : Answers<AskEvent> {};
BOOST_DESCRIBE_STRUCT(GoOnEvent, (), ())
struct HeardEvent : StopEvent {
    int lines = 0, tally = 0;
    std::string id = {};
};
BOOST_DESCRIBE_STRUCT(HeardEvent, (), (lines, tally, id))
std::variant<AskEvent, HeardEvent> hear(Context& ctx, SayEvent said) {
    ctx.edit<Lines>([&](auto& lines) { lines.push_back(said.text); });
    ctx.edit<Topic>([&](auto& topic) { topic.lines.push_back(said.text), ++topic.counts[topic.lines.size()]; });
    ctx.edit<Tally>([](auto& tally) { --tally.n; });
    if (said.text == "ask") return AskEvent{};
    if (said.fails) throw std::runtime_error("what a failed attempt has edited is gone");
    return HeardEvent{{}, int(ctx.get<Lines>().size()), ctx.get<Tally>().n, ctx.run_id()};
}
HeardEvent go_on(Context& ctx, GoOnEvent) { return {{}, int(ctx.get<Lines>().size()), ctx.get<Tally>().n}; }
inline constexpr auto chat = workflow("chat", step<hear>, step<go_on>);

struct AllEvent : StartEvent {
    bool inherit = false;
    bool late = false;
};
struct AllHeardEvent : StopEvent {
    int lines = 0, tally = 0;
    std::string id;
};
struct Count : Observer {
    int started = 0;
    void step_started(const StepInfo&) noexcept override { ++started; }
};
awaitable<AllHeardEvent> call(Context& ctx, AllEvent all, Count& count) {
    ctx.edit<Tally>([](auto& tally) { tally.n = 100; });
    SayEvent said{.text = all.late ? "ask" : "hello"};
    if (!all.inherit && !all.late) {
        const auto heard = co_await ctx.run(chat, std::move(said));
        co_return AllHeardEvent{{}, heard.lines, heard.tally, heard.id};
    }
    RunOptions options{.slots = slots(ctx.get<Tally>(), ctx.get<Lines>()), .id = "child", .observer = &count};
    if (all.late) options.timeout = std::chrono::seconds(1);
    const auto heard = co_await ctx.run(chat, std::move(said), std::move(options));
    co_return AllHeardEvent{{}, heard.lines, heard.tally, heard.id};
}
inline constexpr auto calling = workflow("calling", step<call>);

std::vector<std::string> items(const Growing<std::string>& list) { return {list.begin(), list.end()}; }
using Texts = std::vector<std::string>;
}

TEST_CASE("a run begins with given slots, and its slots are readable when it has ended") {
    World w;
    Lines before;
    before.push_back("earlier");
    const auto seeds = slots(Tally{7}, before);
    auto run = w.loop.start(chat, {.text = "hello"}, {.slots = seeds});
    auto other = w.loop.start(chat, {.text = "again"}, {.slots = seeds});
    w.turn();
    CHECK(run.outcome().tally == 6);
    CHECK(run.slot<Tally>().n == 6);
    CHECK(items(run.slot<Lines>()) == Texts{"earlier", "hello"});
    CHECK(items(other.slot<Lines>()) == Texts{"earlier", "again"});
    CHECK(items(before) == Texts{"earlier"});
    CHECK(seeds.get<Tally>().n == 7);
    CHECK(items(seeds.get<Lines>()) == Texts{"earlier"});
}
TEST_CASE("a run's slots can be the start of the next run: all, some or none") {
    World w;
    auto first = w.loop.start(chat, {.text = "one"});
    w.turn();
    auto all = w.loop.start(chat, {.text = "two"}, {.slots = first.slots()});
    auto some = w.loop.start(chat, {.text = "two"}, {.slots = first.slots<Lines, Topic, AllEvent>()});
    auto none = w.loop.start(chat, {.text = "two"}, {.slots = SlotValues()});
    w.turn();
    CHECK(items(all.slot<Lines>()) == Texts{"one", "two"});
    CHECK(items(all.slot<Topic>().lines) == Texts{"one", "two"});
    CHECK(all.slot<Tally>().n == -2);
    CHECK(items(some.slot<Lines>()) == Texts{"one", "two"});
    CHECK(some.slot<Tally>().n == -1);
    CHECK(items(none.slot<Lines>()) == Texts{"two"});
    CHECK(none.slot<AllEvent>().inherit == false);  // absent: its default
    CHECK(items(first.slot<Lines>()) == Texts{"one"});
}
TEST_CASE("the slots of a run are unreadable before its end; a failed run has the slots of the last commit") {
    World w;
    auto run = w.loop.start(chat, {.text = "ask"}, {.slots = slots(Tally{5})});
    CHECK_THROWS_WITH_AS((void)run.slot<Tally>(),
                         "the slots of a run were read before its end: co_await its result() first", Error);
    w.turn();
    CHECK_THROWS_AS((void)run.slots(), Error);
    run.cancel();
    w.turn();
    CHECK(run.slot<Tally>().n == 4);
    auto failed = w.loop.start(chat, {.text = "hello", .fails = true}, {.slots = run.slots()});
    w.turn();
    CHECK_THROWS_AS(failed.outcome(), RunError);
    CHECK(failed.slot<Tally>().n == 4);
    CHECK(items(failed.slots<Lines>().get<Lines>()) == Texts{"ask"});
}
TEST_CASE("run(...) takes options") {
    CHECK(run(chat, {.text = "hello"}, {.slots = slots(Tally{3})}).tally == 2);
    Count count;
    CHECK(run(calling.with(count), {.inherit = true}, {.observer = &count}).tally == 99);
    CHECK(count.started == 2);
}
TEST_CASE("a run's initial slots are in its store with its first record") {
    MemoryStore store;
    World w(&store);
    auto run = w.loop.start(durable<Lines, Topic, Tally>(chat), {.text = "hello"}, {.slots = slots(Tally{9})});
    w.turn();
    CHECK(run.outcome().tally == 8);
    const auto ticks = ticks_of(store, run.id());
    CHECK(ticks.front()["slots"] == nlohmann::json({{"tally", {{"n", 9}}}}));
    CHECK(ticks.back()["slots"]["tally"] == nlohmann::json({{"n", 8}}));
}
TEST_CASE("a child inherits no slots and no id, unless it is given them") {
    Count count;
    World w;
    auto bare = w.loop.start(calling.with(count), {}, {.slots = slots(Tally{50}), .id = "parent"});
    w.turn();
    CHECK(bare.outcome().tally == -1);
    CHECK(bare.outcome().lines == 1);
    CHECK(bare.outcome().id != "parent");
    CHECK(count.started == 0);
    auto told = w.loop.start(calling.with(count), {.inherit = true}, {.slots = bare.slots()});
    w.turn();
    CHECK(told.outcome().tally == 99);
    CHECK(told.outcome().id == "child");
    CHECK(count.started == 1);
    CHECK(told.slot<Tally>().n == 100);  // the child's edits stay in the child
}
TEST_CASE("a child may have its own timeout") {
    Count count;
    try {
        (void)run(calling.with(count), {.late = true});
        FAIL("it waits for an answer that nobody gives");
    } catch (const RunError& error) {
        CHECK(error.code() == Code::timed_out);
        CHECK(std::string(error.what()) == "step call failed: the run has not ended within 1 s");
    }
}

TEST_SUITE_BEGIN("threads");
namespace {
struct MeetEvent : StartEvent {
    std::string name;
};
struct MetEvent : StopEvent {};
void append_with_all(Growing<std::string>& list, const std::string& text, std::barrier<>& all) {
    all.arrive_and_wait();  // all have their copies, and begin at once
    for (int i = 0; i < 50; ++i) list.push_back(text);
    all.arrive_and_wait();
}
MetEvent meet(Context& ctx, MeetEvent e, std::barrier<>& all) {
    ctx.edit<Lines>([&](auto& lines) { append_with_all(lines, e.name, all); });
    ctx.edit<Topic>([&](auto& topic) { append_with_all(topic.lines, e.name, all); });
    return {};
}
inline constexpr auto meeting = workflow("meeting", step<meet>);
}
TEST_CASE("runs on several loops begin with the same lists, append to them, and do not race") {
    std::barrier<> all(3);
    Engine engine({.loops = 2});
    auto first = engine.start(chat, {.text = "first"});
    (void)engine.wait(first.result());
    for (std::size_t round = 0; round < 10; ++round) {
        const auto bound = meeting.with(all);
        auto one = engine.start(bound, {.name = "one"}, {.slots = first.slots<Lines, Topic>()});
        auto two = engine.start(bound, {.name = "two"}, {.slots = first.slots<Lines, Topic>()});
        auto lines = first.slot<Lines>();
        append_with_all(lines, "mine", all);  // this thread also appends
        auto topic = first.slot<Topic>();
        append_with_all(topic.lines, "mine", all);
        (void)engine.wait(one.result());
        (void)engine.wait(two.result());
        const std::size_t size = 1 + 50;
        for (const auto& list : {items(one.slot<Lines>()), items(one.slot<Topic>().lines)}) {
            REQUIRE(list.size() == size);
            REQUIRE(list.front() == "first");
            REQUIRE(list.back() == "one");
        }
        REQUIRE(items(two.slot<Lines>()).back() == "two");
        REQUIRE(items(two.slot<Topic>().lines).back() == "two");
        REQUIRE(lines.size() == size);
        REQUIRE(topic.lines.back() == "mine");
    }
}
TEST_CASE("a list made by another thread is taken over only by its sole owner") {
    Growing<int> list;
    std::thread([&] {
        for (int i = 0; i < 10; ++i) list.push_back(i);
    }).join();
    const int* item = &list[3];
    list.push_back(10);
    CHECK(&list[3] == item);
    CHECK(list.size() == 11);
}
TEST_SUITE_END();
