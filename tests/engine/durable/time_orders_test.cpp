// Every order of signals, ends of sleeps, cancellations, crashes and outages of a stored run, which sleeps, takes
// signals, begins again and undoes: each happens once.
#include "engine/core/mail.hpp"
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "tests/support/mortal_process.hpp"
#include "tests/support/stored_run.hpp"
#include <map>
#include <set>
using namespace weft;
using namespace weft::storage;
using namespace std::chrono_literals;
using testing::ManualClock;

namespace {
struct RoundEvent : StartEvent {
    int round = 0;
};
BOOST_DESCRIBE_STRUCT(RoundEvent, (), (round))
struct GuestEvent : SignalEvent {
    std::string name;
};
BOOST_DESCRIBE_STRUCT(GuestEvent, (), (name))
struct ClosedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(ClosedEvent, (), ())
/// By what was done: the keys under which it was done.
using Deeds = std::map<std::string, std::set<std::string>>;
awaitable<int> deed(Deeds& deeds, std::string what, std::string key) {
    deeds[what].insert(key);
    co_return 1;
}
awaitable<std::optional<ClosedEvent>> open_round(Context& ctx, RoundEvent event, Deeds& deeds) {
    auto opening = deed(deeds, "round " + std::to_string(event.round), ctx.key());
    co_await ctx.once("open", std::move(opening));
    co_await ctx.sleep(24h);
    ++event.round;
    ctx.begin_again(event);
    co_return std::nullopt;
}
awaitable<void> greet(Context& ctx, GuestEvent guest, Deeds& deeds) {
    auto greeting = deed(deeds, "guest " + guest.name, ctx.key());
    co_await ctx.once("greet", std::move(greeting));
    co_await ctx.sleep(1h);
}
awaitable<void> close(Context& ctx, RunEndingEvent, Deeds& deeds) {
    co_await ctx.sleep(10min);
    auto closing = deed(deeds, "close", ctx.key());
    co_await ctx.once("close", std::move(closing));
}
inline constexpr auto inn = workflow("inn", step<open_round>, step<greet>, step<close>.within(1h));
template <class P> void take_all_mail(P& process, MemoryStore& store) {
    process.world->run();
    for (auto& mail : history_of(store, "t").mail) core::take_mail(core::PrivateAccess::run_of(*process.run), mail);
}
}

TEST_CASE("a run takes each signal, wakes, begins again and undoes once, in any order and through crashes") {
    const std::string events = "stckol";
    std::size_t count = 1;
    for (int i = 0; i < 5; ++i) count *= events.size();
    for (std::size_t n = 0; n < count; n += 3) {  // each third one has all pairs in all places
        std::string story;
        for (std::size_t left = n, i = 0; i < 5; ++i, left /= events.size()) story += events[left % events.size()];
        CAPTURE(story);
        ManualClock clock;
        MemoryStore store{[&] { return clock.wall().time_since_epoch().count(); }};
        Deeds deeds;
        dying::MortalProcess process(store, clock, durable<>(inn.with(deeds)), std::uint32_t(n % 2));
        process.start(RoundEvent{}, {.id = "t"});
        int guests = 0;
        bool is_cancelled = false;
        for (const char what : story) {
            if (what == 'c' && is_cancelled) continue;  // a second one ends the undoing
            if (what == 's' && !is_cancelled) {
                const auto id = std::to_string(guests++);
                const auto body = R"({"event":"GuestEvent","data":{"name":")" + id + R"("}})";
                for (int twice = 0; twice < 2; ++twice)
                    store.send({"t", id, body}, [](std::exception_ptr, SendReply) {});
            }
            if (what == 't') process.pass(24 * 60 + 5);
            if (what == 'c') process.run->cancel();
            if (what == 'k') process.die_and_resume(0h);
            if (what == 'o') process.die_and_resume(30h);
            if (what == 'l') process.leave(), process.resume();
            is_cancelled |= what == 'c';
            if (!process.run->ended()) take_all_mail(process, store);
            process.world->run();
        }
        if (!is_cancelled) {
            process.pass(6 * 60);  // four guests at a time, for an hour each
            process.run->cancel();
        }
        process.pass(600);
        REQUIRE(process.run->ended());
        CHECK(history_of(store, "t").run.status == RunStatus::cancelled);
        for (auto& each : deeds) {
            CAPTURE(each.first);
            CHECK(each.second.size() == 1);
        }
        CHECK(deeds.contains("close"));
        for (int guest = 0; !is_cancelled && guest < guests; ++guest)
            CHECK(deeds.contains("guest " + std::to_string(guest)));
    }
}
