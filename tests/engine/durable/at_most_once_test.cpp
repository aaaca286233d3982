// Effects that must not happen twice: after a crash anywhere, after a failure, and in a run without a store; recorded
// work with recorded parts; and keys that identify an effect.
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/engine/durable/snapshots.hpp"
#include "tests/support/dying_store.hpp"
#include <set>
using namespace weft;
using namespace dying;
using namespace std::chrono_literals;

namespace {
struct OrderEvent : StartEvent {
    int fails = 0;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (fails))
struct PaidEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(PaidEvent, (), (text))
struct Bank {  // outside of the engine
    int paid = 0, asked = 0, crashes = 0;
    int unpaid = 0;  // the number of failing payments
};
awaitable<int> ask(Bank& bank) { co_return ++bank.asked; }
awaitable<std::string> pay(Context& ctx, Bank& bank) {
    ++bank.paid;
    auto asking = ask(bank);
    co_await ctx.once("price", std::move(asking));  // a part of the effect
    if (bank.unpaid > 0) {
        --bank.unpaid;
        throw Error(Code::step_failed, "the bank has closed");
    }
    co_return "receipt " + std::to_string(bank.paid);
}
awaitable<PaidEvent> settle(Context& ctx, OrderEvent order, Bank& bank) {
    auto asking = ask(bank);
    co_await ctx.once("rate", std::move(asking));
    auto paying = pay(ctx, bank);
    const auto receipt = co_await ctx.at_most_once("pay", std::move(paying));
    auto again = ask(bank);
    co_await ctx.once("thanks", std::move(again));
    if (int(ctx.attempt()) <= order.fails) throw Error(Code::step_failed, "no luck");
    PaidEvent paid;
    paid.text = receipt.value_or("unknown");
    co_return paid;
}
inline constexpr auto shop = workflow("shop", step<settle>.retry({.attempts = 3, .wait = fixed(0s)}));

/// Returns the outcome of a run whose process dies after a number of calls of the store, and the next process resumes.
template <class W, class Start> auto live_twice(const Durable<W>& stored, const Start& start, long calls, bool& died) {
    MemoryStore store;
    {
        Dying dying(store, calls);
        Shop first(dying);
        auto run = first.loop.start(stored, start, {.id = "r"});
        first.io.run();
        died = !run.ended();
    }
    if (died) free_all(store);
    Shop next(store);
    auto run = resume_on(next.loop, stored, "r");
    next.io.run();
    return run.outcome();
}
}

TEST_CASE("an at-most-once effect is not repeated wherever the process dies, and the step learns of the doubt") {
    int unknown = 0;
    for (const int fails : {0, 2})
        for (long calls = 1;; ++calls) {
            CAPTURE(calls);
            REQUIRE(calls < 40);
            Bank bank;
            bool died = true;
            const auto told = live_twice(durable<>(shop.with(bank)), OrderEvent{.fails = fails}, calls, died).text;
            CHECK(bank.paid <= 1);
            CHECK(told == (bank.paid == 1 && told != "unknown" ? "receipt 1" : "unknown"));
            unknown += told == "unknown";
            CHECK(bank.asked <= 2 + 2 * fails + 2);
            if (!died) {
                CHECK(told == "receipt 1");
                break;
            }
        }
    CHECK(unknown >= 2);  // deaths between the records of begin and outcome
}
TEST_CASE("an outcome survives failing attempts, and a failed effect is not tried again") {
    MemoryStore store;
    Bank bank;
    const auto stored = durable<>(shop.with(bank));
    Shop here(store);
    auto run = here.loop.start(stored, {.fails = 2}, {.id = "r"});
    here.io.run();
    CHECK(run.outcome().text == "receipt 1");
    CHECK(bank.paid == 1);
    bank.unpaid = 1;
    auto closed = here.loop.start(stored, {}, {.id = "s"});
    here.io.restart();
    here.io.run();
    CHECK(closed.outcome().text == "unknown");
    CHECK(bank.paid == 2);
}
TEST_CASE("an effect is tried again with its step when there is no store") {
    Bank bank;
    bank.unpaid = 1;
    CHECK(testing::run(shop.with(bank), {}).text == "receipt 2");
    Context alone;
    auto paying = pay(alone, bank);
    CHECK(testing::await(alone.at_most_once("pay", std::move(paying))) == "receipt 3");
}

namespace {
struct EndEvent : StopEvent {
    int rounds = 0;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (rounds))
struct RoundEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(RoundEvent, (), (left))
RoundEvent begin(Context&, OrderEvent) { return {.left = 3}; }
awaitable<std::variant<RoundEvent, EndEvent>> go_round(Context& ctx, RoundEvent round, Bank& bank) {
    auto paying = pay(ctx, bank);
    const auto receipt = co_await ctx.at_most_once("pay", std::move(paying));
    if (!receipt) throw Error(Code::step_failed, "taken for the round before");
    if (round.left > 1) co_return RoundEvent{.left = round.left - 1};
    EndEvent end;
    end.rounds = bank.paid;
    co_return end;
}
inline constexpr auto rounds = workflow("rounds", step<begin>, step<go_round>);
}
TEST_CASE("an effect with the same name is a different one in the next invocation of the step") {
    MemoryStore store;
    Bank bank;
    Shop here(store);
    auto run = here.loop.start(durable<>(rounds.with(bank)), {}, {.id = "r"});
    here.io.run();
    CHECK(run.outcome().rounds == 3);
}

namespace {
struct TourEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(TourEvent, (), ())
struct SeenEvent : StopEvent {
    std::vector<int> seen;
};
BOOST_DESCRIBE_STRUCT(SeenEvent, (), (seen))
struct Guide {  // outside of the engine
    std::vector<int> shown;
};
awaitable<int> show(Guide& guide, int place) {
    guide.shown.push_back(place);
    co_return place;
}
awaitable<int> show_street(Context& ctx, Guide& guide, int street) {
    int houses = 0;
    for (int house = 1; house <= 2; ++house) {
        auto showing = show(guide, street * 10 + house);
        houses += co_await ctx.once("house", std::move(showing));
    }
    co_return houses;
}
awaitable<SeenEvent> tour(Context& ctx, TourEvent, Guide& guide) {
    SeenEvent all;
    for (int street = 1; street <= 2; ++street) {
        auto showing = show_street(ctx, guide, street);
        all.seen.push_back(co_await ctx.once("street", std::move(showing)));
    }
    co_return all;
}
inline constexpr auto sights = workflow("sights", step<tour>);
}
TEST_CASE("recorded work may have recorded parts: a recorded part is not done again wherever the process dies") {
    for (long calls = 1;; ++calls) {
        CAPTURE(calls);
        REQUIRE(calls < 20);
        Guide guide;
        bool died = true;
        const auto told = live_twice(durable<>(sights.with(guide)), TourEvent(), calls, died);
        CHECK(told.seen == std::vector<int>{23, 43});
        CHECK(guide.shown.size() <= 5);  // plus the interrupted work
        if (!died) break;
    }
}

namespace {
struct BillsEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(BillsEvent, (), ())
struct BillEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(BillEvent, (), (number))
struct TransferEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(TransferEvent, (), (number))
struct TransferredEvent {};
BOOST_DESCRIBE_STRUCT(TransferredEvent, (), ())
struct AllPaidEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(AllPaidEvent, (), ())
using Transfers = std::set<std::pair<int, std::string>>;  // a bank's requests: the number, the key

std::vector<BillEvent> open_bills(Context&, BillsEvent) { return {{1}, {2}, {3}}; }
TransferEvent prepare(Context&, BillEvent bill) { return {bill.number}; }
awaitable<TransferredEvent> transfer(Context& ctx, TransferEvent bill, Transfers& asked) {
    co_await sleep_for(std::chrono::milliseconds(4 - bill.number));  // in another order than their begins
    asked.emplace(bill.number, ctx.key());
    co_return TransferredEvent{};
}
AllPaidEvent close(Context&, std::vector<TransferredEvent>) { return {}; }
inline constexpr auto bills = workflow("bills", step<open_bills>, step<prepare>.repeatable(), step<transfer>,
                                       step<close>);
}
TEST_CASE("a key is the same after a crash, also behind a repeatable step") {
    for (long calls = 1;; ++calls) {
        CAPTURE(calls);
        REQUIRE(calls < 30);
        Transfers asked;
        bool died = true;
        live_twice(durable<>(bills.with(asked)), BillsEvent(), calls, died);
        CHECK(asked.size() == 3);
        if (!died) break;
    }
}
namespace {
struct TollEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(TollEvent, (), (number))
struct TollPaidEvent {
    std::string receipt;
};
BOOST_DESCRIBE_STRUCT(TollPaidEvent, (), (receipt))
struct RoadEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(RoadEvent, (), (left))
std::vector<TollEvent> set_out(Context&, OrderEvent) { return {{.number = 1}, {.number = 2}}; }
awaitable<TollPaidEvent> pay_toll(Context& ctx, TollEvent, Bank& bank) {
    auto paying = pay(ctx, bank);
    const auto receipt = co_await ctx.at_most_once("pay", std::move(paying));
    TollPaidEvent paid;
    paid.receipt = receipt.value_or("unknown");
    co_return paid;
}
RoadEvent pass_both(Context&, std::vector<TollPaidEvent>) { return {.left = 100}; }
std::variant<RoadEvent, PaidEvent> drive(Context&, RoadEvent road) {
    if (road.left > 0) return RoadEvent{.left = road.left - 1};
    return PaidEvent();
}
inline constexpr auto journey = workflow("journey", step<set_out>, step<pay_toll>, step<pass_both>, step<drive>);
}
TEST_CASE("a run gets snapshots again when the steps with its effects have finished") {
    testing::ManualClock clock;
    MemoryStore memory;
    snapshots::Reading store(memory);
    snapshots::SnapshotWorld world(clock, store, 10);
    Bank bank;
    auto run = world.loop.start(durable(journey.with(bank)), {}, {.id = "r"});

    world.run();

    CHECK(run.ended());
    CHECK(bank.paid == 2);
    CHECK(store.snapshots.size() > 4);
}
