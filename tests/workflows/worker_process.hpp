// Helpers for tests of workers: workflows, a store shared by several processes, and such a process.
//
//     Place place;                                    // the store, and the clock of all its users
//     place.put(stored, "a");                         // a ready run
//     Process process(place, {.slots = 1});
//     process.worker.offer({process.offer(stored)});
//     CHECK(process.fill() == 1);
#pragma once
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/json.hpp"
#include "engine/storage/answer.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/hinting_store.hpp"
#include "workflows/worker/worker.hpp"
#include <atomic>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace workers {
using namespace weft;
using namespace std::chrono_literals;
using storage::answer_of, storage::RunRow, storage::Survey;
using weft::worker::WorkflowOffer, weft::worker::Worker, weft::worker::WorkerOptions;

struct OrderEvent : StartEvent {
    int seconds = 0;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (seconds))
struct PackedEvent {};
BOOST_DESCRIBE_STRUCT(PackedEvent, (), ())
struct MayIEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(MayIEvent, (), ())
struct YesEvent : Answers<MayIEvent> {};
BOOST_DESCRIBE_STRUCT(YesEvent, (), ())
struct SentEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(SentEvent, (), ())
struct Shop {
    std::atomic<int> packing = 0, sent = 0;
};
inline awaitable<PackedEvent> pack(Context&, OrderEvent order, Shop& shop) {
    ++shop.packing;
    co_await sleep_for(std::chrono::seconds(order.seconds));
    co_return PackedEvent();
}
inline SentEvent send_off(Context&, PackedEvent, Shop& shop) {
    ++shop.sent;
    return {};
}
inline constexpr auto order = workflow("order", step<pack>, step<send_off>);
inline constexpr auto order_of_next_year = workflow("order", step<pack>.workers(2), step<send_off>);
inline PackedEvent wrap(Context&, OrderEvent) { return {}; }
inline SentEvent mail_it(Context&, PackedEvent, Shop& shop) {
    ++shop.sent;
    return {};
}
inline constexpr auto order_without_pack = workflow("order", step<wrap>, step<mail_it>);
inline MayIEvent ask_first(Context&, OrderEvent) { return {}; }
inline SentEvent send_then(Context&, YesEvent) { return {}; }
inline constexpr auto careful = workflow("careful", step<ask_first>, step<send_then>);
struct ClimbEvent : StartEvent {
    int seconds = 0;
};
BOOST_DESCRIBE_STRUCT(ClimbEvent, (), (seconds))
struct StairEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(StairEvent, (), (left))
inline StairEvent go_to_stairs(Context&, ClimbEvent climb) { return {climb.seconds}; }
inline awaitable<std::variant<StairEvent, SentEvent>> climb_stair(Context&, StairEvent stair, Shop& shop) {
    ++shop.packing;
    co_await sleep_for(1s);
    if (--stair.left == 0) co_return SentEvent{};
    co_return std::move(stair);
}
inline constexpr auto stairs = workflow("stairs", step<go_to_stairs>, step<climb_stair>);

inline RunRow row_of(Store& store, const std::string& id) {
    return answer_of<std::vector<RunRow>>([&](auto then) { store.list({.ids = {id}}, then); }).at(0);
}
inline awaitable<> do_nothing() { co_return; }
template <class Done> void until(Done done) {
    while (!done()) std::this_thread::yield();
}
/// A store, and the clock of all its users.
struct Place {
    weft::testing::ManualClock clock;
    hinting::HintingStore store{[this] { return clock.wall().time_since_epoch().count(); }};
    Place() { store.share(); }
    template <class W> void put(const W& stored, const std::string& id, RunOptions how = {}, int seconds = 1000) {
        Engine engine({.store = &store, .clock = &clock});
        how.id = id;
        how.detached = true;
        auto run = engine.start(stored, {.seconds = seconds}, how);
        CHECK_THROWS_AS(engine.wait(run.result()), RunError);
    }
};
/// A process with a worker, without the thread that fills it. Its lease is long, because the test moves the clock.
struct Process {
    Worker worker;
    Engine engine;
    Place& place;
    explicit Process(Place& p, WorkerOptions options = {})
        : worker(std::move(options)),
          engine({.store = &p.store,
                  .park = true,
                  .lease = 1h,
                  .tells = [this] { return worker.tell(); },
                  .clock = &p.clock}),
          place(p) {}
    template <class W> WorkflowOffer offer(const W& stored) {
        return {stored.definition->name.data(), stored.definition->durable->hash,
                [this, stored](const RunRow& row, const RunOptions& options) {
                    (void)engine.resume(stored, row.id, options);
                    return std::shared_ptr<void>();
                }};
    }
    std::size_t fill() { return worker.fill(engine, place.store); }
    /// Waits until other processes see its present description.
    void until_told() {
        until([&] {
            const auto survey = answer_of<Survey>([&](auto then) { place.store.survey(then); });
            for (auto& row : survey.workers)
                if (row.info == worker.tell()) return true;
            return false;
        });
    }
};
}
