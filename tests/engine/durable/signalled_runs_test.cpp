// Signals for stored runs that sleep, wait for their first time or for a child, or begin again; and refused signals.
#include "engine/core/mail.hpp"
#include "engine/engine.hpp"
#include "engine/fork.hpp"
#include "engine/graph.hpp"
#include "engine/replay.hpp"
#include "engine/testing/recorder.hpp"
#include "tests/engine/durable/watched.hpp"
#include <thread>
using namespace watches;
using testing::ManualClock;

namespace {
struct Alive {  // counts its objects
    Alive() { ++count; }
    Alive(const Alive&) { ++count; }
    ~Alive() { --count; }
    static inline int count = 0;
};
struct GuardEvent : StartEvent {
    int round = 0, most = 1;
    Alive alive;
    static constexpr std::string_view undescribed_fields[] = {"alive"};
};
BOOST_DESCRIBE_STRUCT(GuardEvent, (), (round, most))
struct GuardedEvent : StopEvent {
    int rounds = 0;
};
BOOST_DESCRIBE_STRUCT(GuardedEvent, (), (rounds))
struct Station {
    std::vector<int> hours;  // of the begins of rounds
    std::string heard;
    int ends_at = 0;
};
awaitable<int> now_in_hours() {
    auto& clock = co_await this_clock();
    co_return int(std::chrono::floor<std::chrono::hours>(clock.wall() - testing::ManualClock().wall()).count());
}
awaitable<std::optional<GuardedEvent>> guard(Context& ctx, GuardEvent event, Station& station) {
    station.hours.push_back(co_await now_in_hours());
    if (event.round == event.most) co_return GuardedEvent{.rounds = event.round};
    co_await ctx.sleep(24h);
    ++event.round;
    ctx.begin_again(event);
    co_return std::nullopt;
}
awaitable<void> listen(Context& ctx, PauseEvent pause, Station& station) {
    co_await ctx.sleep(36h);
    station.heard += pause.by;
}
inline constexpr auto guarding = workflow("guarding", step<guard>, step<listen>);
struct ResetEvent : SignalEvent {};
BOOST_DESCRIBE_STRUCT(ResetEvent, (), ())
void reset(Context& ctx, ResetEvent) {
    GuardEvent next;
    next.round = next.most = 7;
    ctx.begin_again(next);
}
inline constexpr auto resetting = workflow("resetting", step<guard>, step<listen>, step<reset>);
inline constexpr auto resetting_alone = workflow("resetting", step<guard>, step<listen>, step<reset>.workers(1));
awaitable<WatchedEvent> delegate(Context& ctx, WatchEvent event) {
    co_return co_await ctx.run(durable<>(sleeping_watch), std::move(event));
}
void hear(Context& ctx, PauseEvent pause) { pause_watch(ctx, std::move(pause)); }
inline constexpr auto delegating = workflow("delegating", step<delegate>, step<hear>);
struct Visitors {
    std::string names;
};
BOOST_DESCRIBE_STRUCT(Visitors, (), (names))
struct ReceiveEvent : StartEvent {
    std::string names;
    int rounds = 0;
};
BOOST_DESCRIBE_STRUCT(ReceiveEvent, (), (names, rounds))
struct ReceivedEvent : StopEvent {
    std::string names;
};
BOOST_DESCRIBE_STRUCT(ReceivedEvent, (), (names))
ReceiveEvent next_round(const ReceiveEvent& event, const Visitors& visitors) {
    if (visitors.names == "nobody") throw Error(Code::step_failed, "nobody came");
    ReceiveEvent next;
    next.names = event.names + visitors.names;
    next.rounds = event.rounds + 1;
    return next;
}
awaitable<std::optional<ReceivedEvent>> receive(Context& ctx, ReceiveEvent event) {
    if (event.rounds == 1) co_return ReceivedEvent{.names = event.names};
    co_await ctx.sleep(24h);
    if (ctx.attempt() == 2) ctx.begin_again(next_round(event, {"later"}));
    else ctx.begin_again([event](const Visitors& visitors) { return next_round(event, visitors); });
    co_return std::nullopt;
}
awaitable<void> announce(Context& ctx, PauseEvent visitor) {
    if (visitor.by != "nobody") co_await ctx.sleep(36h);
    ctx.edit<Visitors>([&](Visitors& visitors) { visitors.names += visitor.by; });
}
inline constexpr auto receiving = workflow("receiving", step<receive>.retry({.attempts = 2, .wait = fixed(1s)}),
                                           step<announce>);
struct Lodge {
    ManualClock clock;
    MemoryStore store{[this] { return clock.wall().time_since_epoch().count(); }};
    storage::RunRow row() {
        storage::RunRow found;
        store.list({.ids = {"w"}}, [&](std::exception_ptr, std::vector<storage::RunRow> rows) {
            if (!rows.empty()) found = rows[0];
        });
        return found;
    }
    void until(RunStatus wanted) {
        while (row().status != wanted) std::this_thread::yield();
    }
};
struct OtherSlot {
    int number = 7;
};
BOOST_DESCRIBE_STRUCT(OtherSlot, (), (number))
/// Lets the run wait for the step of a signal before it begins again.
template <class W> void wait_for_listener(Timed& world, Lodge& lodge, Run<W>& run) {
    world.run();
    run.send(PauseEvent{.by = "a"});
    world.run();
    lodge.clock.advance(30h);
    world.run();
}
template <class W> std::string refusal(Engine& engine, const Bound<W>& workflow, std::size_t bytes = 0) {
    try {
        engine.signal(workflow, "w", PauseEvent{.by = std::string(bytes, 'x')});
    } catch (const Error& error) { return error.what(); }
    return "none";
}
}

TEST_CASE("a run begins again when its steps of signals have ended") {
    for (const bool is_stored : {false, true}) {
        CAPTURE(is_stored);
        Lodge lodge;
        Station station;
        Timed world(lodge.clock, lodge.store, 1);
        const auto bound = guarding.with(station);
        auto run = is_stored ? world.loop.start(durable<>(bound), {}, {.id = "w"}) : world.loop.start(bound, {});
        world.run();
        lodge.clock.advance(12h);
        run.send(PauseEvent{.by = "a"});
        world.until([&] { return run.ended(); });
        CHECK(station.hours == std::vector<int>{0, 48});
        CHECK(station.heard == "a");
    }
}
TEST_CASE("the last of two steps that begin a run again decides its start event") {
    for (const bool is_stored : {false, true}) {
        CAPTURE(is_stored);
        Lodge lodge;
        Station station;
        Timed world(lodge.clock, lodge.store);
        const auto bound = resetting.with(station);
        auto run = is_stored ? world.loop.start(durable<>(bound), {}, {.id = "w"}) : world.loop.start(bound, {});
        wait_for_listener(world, lodge, run);
        const auto alive = Alive::count;
        run.send(ResetEvent{});
        world.run();
        CHECK(Alive::count == alive - 1);  // the event of the first step is gone, and so is its start event
        world.until([&] { return run.ended(); });
        CHECK(station.hours == std::vector<int>{0, 36});
        CHECK(station.heard == "a");
        CHECK(run.outcome().rounds == 7);
    }
}
TEST_CASE("a step of signals does not begin its run again when another signal waits for its only worker") {
    Lodge lodge;
    Station station;
    Timed world(lodge.clock, lodge.store);
    auto run = world.loop.start(durable<>(resetting_alone.with(station)), {}, {.id = "w"});
    wait_for_listener(world, lodge, run);
    run.send(ResetEvent{});
    run.send(ResetEvent{});
    world.until([&] { return run.ended(); });
    CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("another event waits for its only worker"), RunError);
}
TEST_CASE("a function for the next round sees the edits of signals' steps when they end after its own step") {
    for (const bool is_stored : {false, true}) {
        CAPTURE(is_stored);
        Lodge lodge;
        Timed world(lodge.clock, lodge.store, 1);
        const Bound<std::remove_cvref_t<decltype(receiving)>> bound(receiving);
        auto run = is_stored ? world.loop.start(durable<>(bound), {}, {.id = "w"}) : world.loop.start(bound, {});
        world.run();
        lodge.clock.advance(12h);
        run.send(PauseEvent{.by = "ann"});
        world.run();
        lodge.clock.advance(1h);
        run.send(PauseEvent{.by = "bob"});
        world.until([&] { return run.ended(); });
        CHECK(run.outcome().names == "annbob");
    }
}
TEST_CASE("a step fails when its function for the next round throws, and the run when the function had to wait") {
    for (const bool is_stored : {false, true})
        for (const bool waits : {false, true}) {
            CAPTURE(is_stored);
            CAPTURE(waits);
            Lodge lodge;
            Timed world(lodge.clock, lodge.store, 1);
            const Bound<std::remove_cvref_t<decltype(receiving)>> bound(receiving);
            auto run = is_stored ? world.loop.start(durable<>(bound), {}, {.id = "w"}) : world.loop.start(bound, {});
            world.run();
            run.send(PauseEvent{.by = "nobody"});
            world.run();
            lodge.clock.advance(12h);
            if (waits) run.send(PauseEvent{.by = ""});
            world.until([&] { return run.ended(); });
            if (!waits) CHECK(run.outcome().names == "later");  // of the second attempt
            else CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("nobody came"), RunError);
        }
}
TEST_CASE("mail stays unread while a run is about to begin again, and reaches its next round") {
    Lodge lodge;
    Station station;
    const auto bound = durable<>(guarding.with(station));
    {
        Timed world(lodge.clock, lodge.store);
        auto run = world.loop.start(bound, {.most = 2}, {.id = "w"});
        world.run();
        lodge.clock.advance(12h);
        run.send(PauseEvent{.by = "a"});
        world.run();
        lodge.clock.advance(12h);
        world.run();
        mail_pause(lodge.store, "b", "b");
        for (auto& mail : history_of(lodge.store, "w").mail)
            CHECK_FALSE(core::take_mail(core::PrivateAccess::run_of(run), mail));
        lodge.clock.advance(24h);
        world.run();
        CHECK(station.hours == std::vector<int>{0, 48});
        CHECK(history_of(lodge.store, "w").mail.size() == 1);
        run.leave();
        world.run();
    }
    Timed world(lodge.clock, lodge.store);
    auto run = resume_on(world.loop, bound, "w");
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().rounds == 2);
    CHECK(station.heard == "ab");
}
TEST_CASE("a signal reaches a run that has not begun when its time comes") {
    Lodge lodge;
    Timed world(lodge.clock, lodge.store);
    auto run = world.loop.start(durable<>(counted_watch), {},
                                {.id = "w", .not_before = lodge.clock.wall() + std::chrono::hours(5)});
    world.run();
    for (const char* by : {"a", "b", "c"}) mail_pause(lodge.store, by, by);
    world.run();
    CHECK(history_of(lodge.store, "w").mail.size() == 3);
    CHECK(lodge.row().status == RunStatus::waiting);
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().by == "abc");
}
TEST_CASE("a signal is refused and leaves the run as it is when its name or data are wrong") {
    MemoryStore store;
    {
        Shop shop(store);
        auto run = shop.loop.start(durable<>(counted_watch), {}, {.id = "w"});
        shop.io.run();
    }
    int n = 0;
    for (const char* body : {R"({"event": "StopItEvent", "data": {}})", R"({"event": "PauseEvent", "data": {"by": 7}})",
                             R"({"event": "PauseEvent", "question": 3, "data": {"by": "x"}})", "[", "{}"})
        store.send({"w", std::to_string(n++), body}, [](std::exception_ptr, storage::SendReply) {});
    for (const char* by : {"a", "b", "c"}) mail_pause(store, by, by);

    Shop shop(store);
    auto run = resume_on(shop.loop, durable<>(counted_watch), "w");
    shop.io.run();

    CHECK(run.outcome().by == "abc");
    CHECK(history_of(store, "w").mail.empty());
}
TEST_CASE("a replay and a fork have the signals of the run") {
    MemoryStore store;
    const auto bound = durable<>(counted_watch);
    {
        Shop shop(store);
        auto run = shop.loop.start(bound, {}, {.id = "w"});
        shop.io.run();
        for (const char* by : {"a", "b", "c"}) {
            run.send(PauseEvent{.by = by});
            shop.poll();
        }
    }
    const auto replayed = replay(bound.definition, history_of(store, "w"));
    CHECK_FALSE(replayed.difference);
    CHECK(replayed.steps == 4);

    const auto forked = fork(store, "w", 5, {.id = "f"});
    Shop shop(store);
    auto run = resume_on(shop.loop, bound, forked);
    shop.io.run();
    CHECK(run.idle());
    run.send(PauseEvent{.by = "x"});
    shop.poll();
    CHECK(run.outcome().by == "abx");
}
TEST_CASE("a drawing and the hash of a declaration show that an event is a signal") {
    const auto text = mermaid(graph_of(counted_watch));
    CHECK(text.find("([\"PauseEvent\"]):::signal") != std::string::npos);
    CHECK(text.find("classDef signal") != std::string::npos);
    CHECK(graph_json(graph_of(counted_watch)).find("\"kind\": \"signal\"") != std::string::npos);
    CHECK(mermaid(graph_of(unsignalled_watch)).find("signal") == std::string::npos);
    const auto hash = [](const auto& bound) { return bound.definition->durable->hash; };
    CHECK(hash(durable<>(counted_watch)) != hash(durable<>(unsignalled_watch)));
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("a signal wakes a sleeping run that has left memory, and its sleep ends at its time") {
    Lodge lodge;
    Engine engine({.store = &lodge.store, .park = true, .clock = &lodge.clock});
    const auto bound = durable<>(sleeping_watch);
    engine.recover(bound);
    (void)engine.start(bound, {}, {.id = "w"});
    lodge.until(RunStatus::waiting);
    const auto asleep = lodge.row();
    CHECK(engine.signal(bound, "w", PauseEvent{.by = "a"}, "once"));
    while (!history_of(lodge.store, "w").mail.empty()) std::this_thread::yield();
    CHECK_FALSE(engine.signal(bound, "w", PauseEvent{.by = "a"}, "once"));
    lodge.until(RunStatus::waiting);
    CHECK(lodge.row().wake_at == asleep.wake_at);
    CHECK(engine.slot<PausedBy>(bound, "w").names == "a");
    CHECK(engine.slot<OtherSlot>(bound, "w").number == 7);
    CHECK_THROWS_AS(engine.slot<PausedBy>(bound, "v"), Error);
    lodge.clock.advance(72h);
    lodge.until(RunStatus::done);
    CHECK(lodge.row().outcome.find("\"a\"") != std::string::npos);
    CHECK(refusal(engine, bound) == "run w has ended (done): it takes no signal any more");
    CHECK_FALSE(engine.signal(bound, "w", PauseEvent{.by = "a"}, "once"));
}
TEST_CASE("a signal reaches a run whose child sleeps") {
    Lodge lodge;
    Engine engine({.store = &lodge.store, .park = true, .clock = &lodge.clock});
    const auto bound = durable<>(delegating);
    engine.recover(bound);
    (void)engine.start(bound, {}, {.id = "w"});
    lodge.until(RunStatus::waiting);
    engine.signal(bound, "w", PauseEvent{.by = "a"});
    while (!history_of(lodge.store, "w").mail.empty()) std::this_thread::yield();
    lodge.until(RunStatus::waiting);
    lodge.clock.advance(72h);
    lodge.until(RunStatus::done);
}
TEST_CASE("a signal is refused when the store has no such run of the workflow, or its inbox is full") {
    Lodge lodge;
    Engine engine({.store = &lodge.store, .clock = &lodge.clock});
    const auto bound = durable<>(counted_watch);
    CHECK(refusal(engine, bound) == "the store has no run w that could take a signal");
    engine.enqueue(bound, {}, {.id = "w"});
    CHECK(refusal(engine, durable<>(sleeping_watch)) ==
          "run w is a run of counted_watch, not of sleeping_watch, whose signal it was sent");
    CHECK(refusal(engine, bound, storage::most_unread_mail_bytes).starts_with("the inbox of run w is full: "));
    for (std::size_t i = 0; i < storage::most_unread_mail; ++i) mail_pause(lodge.store, std::to_string(i), "x");
    CHECK(refusal(engine, bound) == "the inbox of run w is full: it has room for 1000 unread mails of 8 MiB together. "
                                    "Let an engine execute the run, then send the signal again");
    engine.enqueue(bound, {}, {.id = "v"});
    engine.enqueue(bound, {}, {.id = "u"});
    for (const char* run : {"v", "u"}) CHECK(engine.signal(bound, run, PauseEvent{}, "the same id"));
    Engine bare;
    CHECK(refusal(bare, bound).starts_with("an engine without a store cannot signal a stored run"));
}
TEST_SUITE_END();

namespace {
struct RingEvent : StartEvent {
    int rings = 0;
};
BOOST_DESCRIBE_STRUCT(RingEvent, (), (rings))
struct RungEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(RungEvent, (), ())
std::optional<RungEvent> wait_for_rings(Context&, RingEvent event, Station& station) {
    station.ends_at = event.rings;
    return std::nullopt;
}
void ring(Context& ctx, PauseEvent, Station& station) { ctx.begin_again(RingEvent{.rings = station.ends_at + 1}); }
inline constexpr auto ringing = workflow("ringing", step<wait_for_rings>, step<ring>);
}
TEST_CASE("a store knows the last 1000 mails of a run that begins again at each of them, and keeps no more") {
    Lodge lodge;
    Station station;
    Timed world(lodge.clock, lodge.store);
    auto run = world.loop.start(durable<>(ringing.with(station)), {}, {.id = "w"});
    world.run();
    const auto send = [&](int id) {
        mail_pause(lodge.store, std::to_string(id), "a");
        for (auto& mail : history_of(lodge.store, "w").mail)
            CHECK(core::take_mail(core::PrivateAccess::run_of(run), mail));
        world.run();
        return station.ends_at;
    };
    constexpr int most = int(storage::most_unread_mail);
    for (int i = 0; i < most + 10; ++i) CHECK(send(i) == i + 1);
    for (int i = 20; i < most + 10; i += 30) CHECK(send(i) == most + 10);
    CHECK(send(7) == most + 11);  // forgotten, so it is a new one
    CHECK(send(7) == most + 11);
    CHECK(history_of(lodge.store, "w").mail.empty());
}
