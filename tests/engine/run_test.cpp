#include "engine/asio.hpp"
#include "engine/loop.hpp"
#include "tests/support/world.hpp"
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct TopicEvent : StartEvent {
    std::vector<int> delays;
};
struct SearchEvent {
    int index;
    int delay;
};
struct HitEvent {
    std::string url;
};
struct ReportEvent : StopEvent {
    std::string text;
};

std::vector<SearchEvent> plan(Context&, TopicEvent t) {
    std::vector<SearchEvent> all;
    for (int d : t.delays) all.push_back({int(all.size()), d});
    return all;
}
awaitable<std::optional<HitEvent>> search(Context&, SearchEvent s, asio::io_context& io) {
    with_default<asio::steady_timer> timer(io, std::chrono::milliseconds(s.delay));
    co_await timer.async_wait();
    if (s.index == 3) co_return std::nullopt;
    co_return HitEvent{.url = std::to_string(s.index)};
}
ReportEvent report(Context&, std::vector<HitEvent> hits) {
    std::string text;
    for (auto& h : hits) text += h.url;
    return {.text = text};
}
inline constexpr auto research = workflow("research", step<plan>, step<search>.workers(3), step<report>);
}

TEST_CASE("branches run in parallel, and are collected in the order of their fan-out") {
    World w;
    auto run = w.loop.start(research.with(w.io), {.delays = {9, 1, 5, 3, 2}});
    w.io.run();
    CHECK(run.outcome().text == "0124");
}
TEST_CASE("an empty fan-out is collected") {
    World w;
    auto run = w.loop.start(research.with(w.io), {});
    w.io.run();
    CHECK(run.outcome().text.empty());
}
TEST_CASE("a deadline reaches the pending timers immediately, and the stream ends with it") {
    World w;
    auto run = w.loop.start(research.with(w.io), {.delays = {3'600'000, 3'600'000}}, {.timeout = 10ms});
    std::vector<std::string> seen;
    w.spawn(record(run, seen));
    auto t = std::chrono::steady_clock::now();
    w.io.run();
    CHECK(std::chrono::steady_clock::now() - t < 30min);
    CHECK_THROWS_WITH_AS(run.outcome(), "the run has not ended within 0.01 s", RunError);
    CHECK(seen == std::vector<std::string>{"RunTimedOutEvent"});
}

namespace {
struct ReadEvent : StartEvent {};
struct BytesEvent : StopEvent {
    std::size_t n;
};
awaitable<std::size_t> read_some(asio::ip::tcp::socket& socket) {
    char buffer[64];
    auto [error, n] = co_await socket.async_read_some(asio::buffer(buffer), asio::as_tuple(asio::deferred));
    if (error)
        throw std::runtime_error("read: " +
                                 std::string(error == asio::error::operation_aborted ? "aborted" : "broken"));
    co_return n;
}
awaitable<BytesEvent> read(Context&, ReadEvent, asio::ip::tcp::socket& socket) {
    auto n = co_await read_some(socket);
    co_return BytesEvent{.n = n};
}
inline constexpr auto reading = workflow("reading", step<read>);
}
TEST_CASE("cancel reaches a pending socket read through nested awaitables") {
    World w;
    asio::ip::tcp::acceptor acceptor(w.io, {asio::ip::address_v4::loopback(), 0});
    asio::ip::tcp::socket socket(w.io);
    socket.connect(acceptor.local_endpoint());
    auto run = w.loop.start(reading.with(socket), {});
    w.io.poll();
    CHECK(!run.ended());
    run.cancel();
    w.io.restart();
    w.io.run();  // would hang if the read continued
    CHECK_THROWS_WITH_AS(run.outcome(), "the run was cancelled", RunError);
}

namespace {
struct BadEvent : StartEvent {
    int how;
};
struct FineEvent : StopEvent {
    int value;
};
asio::awaitable<int> from_asio(int v) {
    co_await asio::post(asio::use_awaitable);
    co_return v;
}
awaitable<int> deep(int n) {
    if (n == 0) throw std::runtime_error("deep");
    auto r = co_await deep(n - 1);
    co_return r;
}
awaitable<int> nothing(int v) { co_return v; }
awaitable<FineEvent> misbehave(Context& ctx, BadEvent e) {
    ctx.edit<Tally>([](auto& t) { ++t.n; });
    if (e.how == 0) throw std::runtime_error("at once");
    if (e.how == 1) co_await deep(10);
    auto v = co_await from_asio(41);
    if (e.how == 2) throw std::runtime_error("after a wait");
    if (e.how == 4) throw std::bad_alloc();
    long sum = 0;
    for (int i = 0; i < 300'000; ++i) sum += co_await nothing(1);  // flat stack, also without optimisation
    co_return FineEvent{.value = v + int(sum / 300'000)};
}
inline constexpr auto risky = workflow("risky", step<misbehave>);
}
TEST_CASE("exceptions end the run with the step's name, and leave no trace in the context") {
    for (int how : {0, 1, 2}) {
        World w;
        auto run = w.loop.start(risky, {.how = how});
        std::vector<std::string> seen;
        w.spawn(record(run, seen));
        w.io.run();
        CHECK_THROWS_AS(run.outcome(), std::runtime_error);
        CHECK(seen == std::vector<std::string>{"RunFailedEvent"});
        CHECK(core::PrivateAccess::run_of(run).definition->steps[core::PrivateAccess::run_of(run).state.culprit].name ==
              "misbehave");
        CHECK(core::PrivateAccess::run_of(run).slots.first() == nullptr);
    }
}
TEST_CASE("a run fails with the step's name when the step finds no memory, and other runs of the loop go on") {
    World w;
    auto failing = w.loop.start(risky, {.how = 4});
    auto other = w.loop.start(research.with(w.io), {.delays = {0, 0}});

    w.io.run();

    CHECK_THROWS_WITH(failing.outcome(), "step misbehave failed: std::bad_alloc");
    const auto& failed = core::PrivateAccess::run_of(failing);
    CHECK(failed.definition->steps[failed.state.culprit].name == "misbehave");
    CHECK(failed.slots.first() == nullptr);
    CHECK(other.outcome().text == "01");
    auto later = w.loop.start(research.with(w.io), {});
    w.turn();
    CHECK(later.outcome().text.empty());
}
TEST_CASE("an asio::awaitable is awaited like weft's, and a long loop of awaits has a flat stack") {
    World w;
    auto run = w.loop.start(risky, {.how = 3});
    w.io.run();
    CHECK(run.outcome().value == 42);
}
TEST_CASE("an awaitable runs under Asio's own coroutines") {
    asio::io_context io;
    int got = 0;
    auto outer = [](int& out) -> asio::awaitable<void> {
        auto ex = co_await asio::this_coro::executor;
        out = co_await spawn(ex, nothing(7), asio::use_awaitable);
    };
    asio::co_spawn(io, outer(got), asio::detached);
    io.run();
    CHECK(got == 7);
}

namespace {
struct RefundEvent : StartEvent {
    double amount;
};
struct ApprovalRequestEvent : InputRequiredEvent {
    std::string question;
};
struct ApprovalEvent : HumanResponseEvent {
    bool granted;
};
struct DecisionEvent : StopEvent {
    std::string text;
};
struct NoteEvent {
    int n;
};
std::variant<ApprovalRequestEvent, DecisionEvent> review(Context& ctx, RefundEvent r) {
    ctx.stream(NoteEvent{1});
    if (r.amount < 50) return DecisionEvent{.text = "refunded"};
    return ApprovalRequestEvent{.question = "Refund?"};
}
DecisionEvent conclude(Context&, ApprovalEvent a) { return {.text = a.granted ? "granted" : "declined"}; }
inline constexpr auto refund = workflow("refund", step<review>, step<conclude>);

awaitable<void> clerk(RunOf<refund> run, std::vector<std::string>& seen) {
    while (auto event = co_await run.next_event()) {
        seen.emplace_back(event->name());
        if (auto* ask = event->get_if<ApprovalRequestEvent>())
            run.send(ApprovalEvent{.granted = ask->question == "Refund?"});
    }
    auto decision = co_await run.result();
    seen.push_back(decision.text);
}
}
TEST_CASE("a human is asked, answers, and the stream ends with the stop event") {
    World w;
    std::vector<std::string> seen;
    auto run = w.loop.start(refund, {.amount = 80});
    w.io.poll();
    CHECK(run.idle());
    w.spawn(clerk(run, seen));
    w.io.restart();
    w.io.run();
    CHECK(seen == std::vector<std::string>{"NoteEvent", "ApprovalRequestEvent", "DecisionEvent", "granted"});
    run.cancel();
    run.send(ApprovalEvent{.granted = false});  // both have no effect after the end
    w.io.restart();
    w.io.run();
    CHECK(run.outcome().text == "granted");
}
TEST_CASE("a run that can never continue says so") {
    CHECK(run(refund, {.amount = 10}).text == "refunded");
    CHECK_THROWS_WITH_AS(
        run(refund, {.amount = 90}),
        "the run is idle: it waits for an answer to ApprovalRequestEvent (ApprovalEvent, for step conclude)", RunError);
}
TEST_CASE("a loop may be destroyed while runs wait") {
    asio::io_context io;
    auto loop = std::make_unique<Loop>(io.get_executor());
    auto run = loop->start(research.with(io), {.delays = {60'000}});
    io.poll();
    loop.reset();
    CHECK(!core::PrivateAccess::run_of(run).attempts);
}
