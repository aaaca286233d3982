// Workers of several versions on one store, and workers that lose their lease.
#include "engine/pool.hpp"
#include "tests/workflows/worker_process.hpp"
#include <doctest/doctest.h>
#include <latch>

using namespace workers;

namespace {
struct Oven {
    Pool pool{1};
    std::latch baked{1};
    std::atomic<int> loaves = 0;
    std::atomic<bool> is_baking = false;
};
/// Work that has begun on a thread cannot be interrupted: the run stays in memory until it has ended.
awaitable<SentEvent> bake(Context&, OrderEvent, Oven& oven) {
    if (++oven.loaves > 1) co_return SentEvent();
    auto work = [&oven](std::stop_token) {
        oven.is_baking = true;
        oven.baked.wait();
    };
    co_await oven.pool.run(std::move(work));
    co_return SentEvent();
}
inline constexpr auto baking = workflow("baking", step<bake>);
SentEvent refuse_order(Context&, OrderEvent) { throw Error(Code::usage, "nobody can pack this"); }
inline constexpr auto refusing = workflow("refusing", step<refuse_order>);

void lose_lease(Place& place, const std::string& run) {
    const auto owner = row_of(place.store, run).owner;
    answer_of<storage::HeartbeatReply>([&](auto then) { place.store.heartbeat({owner, 0, ""}, then); });
}
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("runs of another declaration are carried over when no live worker has it") {
    Place place;
    Shop shop;
    const auto old_one = durable<>(order.with(shop)), new_one = durable<>(order_of_next_year.with(shop));
    REQUIRE(old_one.definition->durable->hash != new_one.definition->durable->hash);
    place.put(old_one, "a", {}, 0);
    Process next(place);
    next.worker.offer({next.offer(new_one)});
    {
        Process before(place, {.slots = 1});
        before.worker.offer({before.offer(old_one)});
        before.until_told();
        CHECK(next.fill() == 0);
        CHECK(row_of(place.store, "a").status == RunStatus::ready);
    }
    place.clock.advance(2s);  // time for another look
    CHECK(next.fill() == 0);
    place.clock.advance(4s);  // a worker without a connection may return
    CHECK(next.fill() == 0);

    place.clock.advance(2s);
    until([&] { return next.fill() == 1; });
    until([&] { return shop.sent == 1; });
    until([&] { return row_of(place.store, "a").status == RunStatus::done; });
    CHECK(row_of(place.store, "a").hash == new_one.definition->durable->hash);
}
TEST_CASE("runs are carried over only in queues without a live worker of their declaration") {
    Place place;
    Shop shop;
    const auto old_one = durable<>(order.with(shop)), new_one = durable<>(order_of_next_year.with(shop));
    place.put(old_one, "old", {.queue = "urgent"}, 0);
    place.put(old_one, "orphan", {}, 0);
    place.put(old_one, "elsewhere", {.queue = "slow"}, 0);
    Process next(place, {.queues = {"default", "urgent"}, .orphaned_for = 0ms}),
        before(place, {.slots = 1, .queues = {"urgent"}});
    before.worker.offer({before.offer(old_one)});
    before.until_told();
    next.worker.offer({next.offer(new_one)});

    until([&] { return next.fill() == 1; });
    until([&] { return row_of(place.store, "orphan").status == RunStatus::done; });
    place.clock.advance(2s);
    CHECK(next.fill() == 0);
    for (const auto* run : {"old", "elsewhere"}) CHECK(row_of(place.store, run).status == RunStatus::ready);
}
TEST_CASE("a lost run delays no other run while it cannot leave memory") {
    Place place;
    Oven oven;
    const auto stored = durable<>(baking.with(oven));
    place.put(stored, "hot", {.priority = 1});
    Process process(place, {.slots = 2});
    process.worker.offer({process.offer(stored)});
    CHECK(process.fill() == 1);
    until([&] { return oven.is_baking.load(); });
    lose_lease(place, "hot");
    until([&] { return row_of(place.store, "hot").status == RunStatus::ready; });
    place.put(stored, "cold");

    until([&] { return process.fill() == 1; });

    until([&] { return row_of(place.store, "cold").status == RunStatus::done; });
    CHECK(row_of(place.store, "hot").status == RunStatus::ready);
    oven.baked.count_down();
    until([&] { return process.fill() == 1; });
    until([&] { return row_of(place.store, "hot").status == RunStatus::done; });
}
TEST_CASE("a finally failed run is not reported as retried") {
    Place place;
    const auto stored = durable<>(refusing);
    place.put(stored, "r");
    std::vector<std::string> notes;
    Process process(place, {.note = [&](std::string_view text) { notes.emplace_back(text); }});
    process.worker.offer({process.offer(stored)});

    CHECK(process.fill() == 1);
    until([&] { return row_of(place.store, "r").status == RunStatus::failed; });
    until([&] { return process.fill() == 0 && process.worker.used() == 0; });

    CHECK(notes.empty());
}
TEST_CASE("a run is refused with what is missing, after a few tries, when the new declaration cannot carry it") {
    Place place;
    Shop shop;
    const auto old_one = durable<>(order.with(shop));
    const auto other = durable<>(order_without_pack.with(shop));
    place.put(old_one, "a");
    Process process(place);
    process.worker.offer({process.offer(other)});

    until([&] {
        place.clock.advance(1s);
        process.fill();
        return !process.worker.info().refused.empty();
    });

    CHECK(process.worker.info().refused.at(0).why.find("step pack") != std::string::npos);
    until([&] { return row_of(place.store, "a").status == RunStatus::ready; });
    CHECK(shop.sent == 0);
}
TEST_SUITE_END();
