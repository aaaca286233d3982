// The stream of a run: the order of its events, the child of each event, and the ids of questions.
#include "engine/any_event.hpp"
#include "engine/core/loop/children.hpp"
#include "engine/durable.hpp"
#include "engine/observer.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/timed.hpp"
#include <map>
using namespace weft;
using namespace dying;
using namespace std::chrono_literals;

namespace {
using Names = std::vector<std::string>;
struct GoEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(GoEvent, (), (n))
struct PartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(PartEvent, (), (n))
struct NoteEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(NoteEvent, (), (n))
struct AskEvent : InputRequiredEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(AskEvent, (), (n))
struct TellEvent : Answers<AskEvent> {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(TellEvent, (), (text))
struct DoneEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(DoneEvent, (), (text))
struct EndEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (text))

std::vector<PartEvent> split(Context&, GoEvent go) {
    std::vector<PartEvent> all;
    for (int i = 0; i < go.n; ++i) all.push_back({i});
    return all;
}
DoneEvent hear(Context&, TellEvent tell) { return {tell.text}; }
EndEvent join(Context&, std::vector<DoneEvent> all) {
    EndEvent end;
    for (auto& done : all) end.text += done.text + ' ';
    return end;
}
std::variant<AskEvent, DoneEvent> ask_or_note(Context& ctx, PartEvent part) {
    if (part.n == 0) return AskEvent{};
    ctx.stream(NoteEvent{part.n});
    return DoneEvent{};
}
inline constexpr auto quick = workflow("quick", step<split>, step<ask_or_note>, step<hear>, step<join>);

/// The first part asks after a second, the second one streams at the beginning and after two seconds.
awaitable<std::variant<AskEvent, DoneEvent>> ask_or_note_later(Context& ctx, PartEvent part) {
    std::variant<AskEvent, DoneEvent> next = DoneEvent{};
    if (part.n == 1) ctx.stream(NoteEvent{1});
    co_await sleep_for(part.n == 0 ? 1s : 2s);
    if (part.n == 1) ctx.stream(NoteEvent{2});
    else next = AskEvent{};
    co_return next;
}
inline constexpr auto slow = workflow("slow", step<split>, step<ask_or_note_later>, step<hear>, step<join>);

std::string told(const AnyEvent& event) {
    const auto* note = event.get_if<NoteEvent>();
    return std::string(event.name()) + (note ? " " + std::to_string(note->n) : "");
}
struct Heard : Observer {
    Names names;
    void event_streamed(const RunInfo&, const AnyEvent& event) noexcept override { names.push_back(told(event)); }
};
template <class R> awaitable<void> read(R run, Names& names) {
    while (auto event = co_await run.next_event()) names.push_back(told(*event));
}
template <class R> void read_along(Timed& world, const R& run, Names& names) {
    auto reading = read(run, names);
    spawn(world.loop.runtime(), std::move(reading), [](std::exception_ptr error) { CHECK_FALSE(error); });
}
}

TEST_CASE("a question precedes later steps' events when their calls have waited in the queue") {
    testing::Recorder seen;
    Heard heard;

    testing::run(quick, {.n = 3}, {.recorder = &seen, .run = {.observer = &heard}},
                 testing::answer<AskEvent>([](const AskEvent&) { return TellEvent{}; }));

    Names names;
    for (const auto& event : seen) names.push_back(told(event));
    CHECK(names == Names{"AskEvent", "NoteEvent 1", "NoteEvent 2", "EndEvent"});
    CHECK(heard.names == names);
}
TEST_CASE("an event after a question of a stored run waits until the question is on disk, also for observers") {
    testing::ManualClock clock;
    MemoryStore memory;
    FailingStore store(memory);
    Names names;
    Heard heard;
    Timed world(clock, store);
    auto run = world.loop.start(durable<>(slow), {.n = 2}, {.observer = &heard});
    read_along(world, run, names);
    world.run();

    store.hold();
    clock.advance(1s);
    world.run();
    clock.advance(1s);
    world.run();
    CHECK(names == Names{"NoteEvent 1"});
    CHECK(heard.names == names);

    store.release();
    world.run();
    CHECK(names == Names{"NoteEvent 1", "AskEvent", "NoteEvent 2"});
    CHECK(heard.names == names);
}
TEST_CASE("an event after a question is streamed, but not the question, when the store fails to store the question") {
    testing::ManualClock clock;
    MemoryStore memory;
    FailingStore store(memory);
    Names names;
    Timed world(clock, store);
    auto run = world.loop.start(durable<>(slow), {.n = 2});
    read_along(world, run, names);
    world.run();

    store.fail(0, FailingStore::FailureMode::from_now_on);
    world.until([&] { return run.ended(); });

    CHECK(names == Names{"NoteEvent 1", "NoteEvent 2", "RunFailedEvent"});
}
TEST_CASE("an event after a question is streamed when the loop is destroyed before the question is on disk") {
    testing::ManualClock clock;
    MemoryStore memory;
    FailingStore store(memory);
    asio::io_context elsewhere{1};
    Names names;
    {
        Timed world(clock, store);
        auto run = world.loop.start(durable<>(slow), {.n = 2});
        auto reading = read(run, names);
        spawn(elsewhere.get_executor(), std::move(reading), [](std::exception_ptr error) { CHECK_FALSE(error); });
        world.run();
        store.hold();
        for (int i = 0; i < 2; ++i) {
            clock.advance(1s);
            world.run();
        }
    }
    elsewhere.run();

    CHECK(names == Names{"NoteEvent 1", "NoteEvent 2", "RunCancelledEvent"});
    store.release();
}

// --- questions of children ---
namespace {
/// The child that begins last asks first.
awaitable<AskEvent> think(Context&, GoEvent go) {
    co_await sleep_for(go.n == 0 ? 2s : 1s);
    AskEvent ask;
    ask.n = go.n;
    co_return ask;
}
EndEvent conclude(Context&, TellEvent tell) { return {.text = tell.text}; }
inline constexpr auto inquiry = workflow("inquiry", step<think>, step<conclude>);
awaitable<DoneEvent> inquire(Context& ctx, PartEvent part) {
    GoEvent go{.n = part.n};
    auto stored = durable<>(inquiry);
    auto end = co_await ctx.run(std::move(stored), std::move(go));
    co_return DoneEvent{std::to_string(part.n) + ": " + end.text};
}
inline constexpr auto inquiries = workflow("inquiries", step<split>, step<inquire>, step<join>);
awaitable<EndEvent> delegate(Context& ctx, GoEvent go) {
    auto stored = durable<>(inquiries);
    auto end = co_await ctx.run(std::move(stored), std::move(go));
    co_return EndEvent{.text = end.text};
}
inline constexpr auto delegation = workflow("delegation", step<delegate>);

struct Asked {
    std::vector<int> order;
    std::map<int, QuestionId> ids;
};
template <class R> awaitable<void> note_questions(R run, Asked& asked) {
    while (auto event = co_await run.next_event())
        if (const auto* ask = event->template get_if<AskEvent>()) {
            asked.order.push_back(ask->n);
            asked.ids[ask->n] = event->question();
        }
}
/// Two children ask in one order before the run leaves memory, and in the other order afterwards.
template <class W>
std::string answer_after_a_restart(const Bound<W>& workflow, MemoryStore& store, Asked& before, Asked& after) {
    testing::ManualClock clock;
    {
        Timed world(clock, store);
        auto run = world.loop.start(workflow, {.n = 2}, {.id = "r"});
        auto reading = note_questions(run, before);
        spawn(world.loop.runtime(), std::move(reading), [](std::exception_ptr) {});
        world.until([&] { return before.order.size() == 2; });
    }
    Timed world(clock, store);
    auto run = resume_on(world.loop, workflow, "r");
    auto reading = note_questions(run, after);
    spawn(world.loop.runtime(), std::move(reading), [](std::exception_ptr) {});
    world.until([&] { return after.order.size() == 2; });
    for (auto [n, id] : before.ids) run.send_to_child(TellEvent{.text = "answer " + std::to_string(n)}, id);
    world.until([&] { return run.ended(); });
    return run.outcome().text;
}
}

TEST_CASE("an answer reaches the asking child when the children ask in another order after a restart") {
    MemoryStore store;
    Asked before, after;

    const auto text = answer_after_a_restart(durable<>(inquiries), store, before, after);

    CHECK(before.order == std::vector{1, 0});
    CHECK(after.order == std::vector{0, 1});
    CHECK(after.ids == before.ids);
    CHECK(text == "0: answer 0 1: answer 1 ");
}
TEST_CASE("a question of a child's child has the same id after a restart, made from its run's path and id") {
    MemoryStore store;
    Asked before, after;

    const auto text = answer_after_a_restart(durable<>(delegation), store, before, after);

    CHECK(after.ids == before.ids);
    CHECK(text == "0: answer 0 1: answer 1 ");
    std::vector<QuestionId> made;
    for (const auto& tick : ticks_of(store, "r"))
        if (tick.contains("asked"))
            made.push_back(core::id_in_root(tick.at("run").get<std::string>(),
                                            QuestionId(tick.at("asked")[0].at("question").get<std::uint64_t>())));
    CHECK(made == std::vector{before.ids.at(1), before.ids.at(0)});
}

// --- events of children ---
namespace {
EndEvent talk(Context& ctx, GoEvent go) {
    ctx.stream(NoteEvent{go.n});
    return {.text = ctx.run_id()};
}
inline constexpr auto talker = workflow("talker", step<talk>);
awaitable<DoneEvent> let_talk(Context& ctx, PartEvent part) {
    GoEvent go{.n = part.n};
    auto end = co_await ctx.run(talker, std::move(go));
    co_return DoneEvent{end.text};
}
inline constexpr auto talkers = workflow("talkers", step<split>, step<let_talk>, step<join>);
awaitable<EndEvent> hold_talks(Context& ctx, GoEvent go) {
    ctx.stream(NoteEvent{7});
    auto end = co_await ctx.run(talkers, std::move(go));
    co_return EndEvent{.text = end.text};
}
inline constexpr auto talks = workflow("talks", step<hold_talks>);

/// Notes the path of each event, and the run that has streamed it.
using Places = std::vector<std::pair<std::string, std::string>>;
Places places(const testing::Recorder& seen) {
    Places all;
    for (const auto& event : seen) all.emplace_back(event.path(), event.run());
    return all;
}
struct Witness : Observer {
    Places places, told;
    void event_streamed(const RunInfo& run, const AnyEvent& event) noexcept override {
        places.emplace_back(event.path(), event.run());
        told.emplace_back(event.path(), std::string(run.id));
    }
};
template <class R> awaitable<void> note_runs(R run, std::map<int, std::string>& runs) {
    while (auto event = co_await run.next_event())
        if (const auto* ask = event->template get_if<AskEvent>()) runs[ask->n] = event->run();
}
}

TEST_CASE("an event names the run that streamed it and the steps leading there when children run side by side") {
    testing::Recorder seen;

    const auto ids = testing::run(talks, {.n = 2}, {.recorder = &seen, .run = {.id = "all"}}).text;

    const auto all = places(seen);
    REQUIRE(all.size() == 4);
    CHECK(all[0] == Places::value_type("", "all"));
    CHECK(all[1].first == "hold_talks/let_talk");
    CHECK(all[2].first == "hold_talks/let_talk");
    CHECK(all[1].second != all[2].second);
    CHECK(ids == all[1].second + " " + all[2].second + " ");
    CHECK(all[3] == Places::value_type("", "all"));
}
TEST_CASE("an event of a run without children or an id has no path, and has the id that its steps see") {
    testing::Recorder seen;

    const auto end = testing::run(talker, {}, {.recorder = &seen});

    CHECK(places(seen) == Places{{"", end.text}, {"", end.text}});
}
TEST_CASE("an event for an observer of a child names the run as the observer knows it") {
    Witness witness;

    testing::run(talkers, {.n = 2}, {.run = {.observer = &witness}});

    CHECK(witness.places.size() == 5);  // two events of each child with its last one, and the end
    CHECK(witness.places == witness.told);
}
TEST_CASE("a child of a stored run has the same id when it is resumed") {
    testing::ManualClock clock;
    MemoryStore store;
    std::map<int, std::string> before, after;
    {
        Timed world(clock, store);
        auto run = world.loop.start(durable<>(inquiries), {.n = 2}, {.id = "r"});
        auto reading = note_runs(run, before);
        spawn(world.loop.runtime(), std::move(reading), [](std::exception_ptr) {});
        world.until([&] { return before.size() == 2; });
    }
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(inquiries), "r");
    auto reading = note_runs(run, after);
    spawn(world.loop.runtime(), std::move(reading), [](std::exception_ptr) {});
    world.until([&] { return after.size() == 2; });

    CHECK(after == before);
    CHECK(before[0] != before[1]);
    CHECK(before[0].starts_with("r/"));
}
