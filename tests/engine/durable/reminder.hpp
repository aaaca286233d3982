// A run that notes something, sleeps for days, and ends: for the tests of Context::sleep.
#pragma once
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/stored_run.hpp"
#include <optional>

namespace reminders {
using namespace weft;
using namespace std::chrono_literals;
using storage::RunRow;

struct RemindEvent : StartEvent {
    int hours = 72, fails = 0;
};
BOOST_DESCRIBE_STRUCT(RemindEvent, (), (hours, fails))
struct RemindedEvent : StopEvent {
    std::int64_t at = 0;  // microseconds since 1970
    int begun = 0;
};
BOOST_DESCRIBE_STRUCT(RemindedEvent, (), (at, begun))
struct Desk {
    int begun = 0, noted = 0;
};
inline awaitable<int> note(Desk& desk) { co_return ++desk.noted; }
inline awaitable<RemindedEvent> remind(Context& ctx, RemindEvent event, Desk& desk) {
    ++desk.begun;
    auto noting = note(desk);
    co_await ctx.once("note", std::move(noting));
    co_await ctx.sleep(std::chrono::hours(event.hours));
    if (int(ctx.attempt()) <= event.fails) throw Error(Code::step_failed, "not yet");
    auto& clock = co_await this_clock();
    RemindedEvent reminded;
    reminded.at = clock.wall().time_since_epoch().count();
    reminded.begun = desk.begun;
    co_return reminded;
}
inline constexpr auto reminder = workflow("reminder", step<remind>.retry({.attempts = 3, .wait = fixed(1h)}));
inline std::int64_t microseconds(WallTime at) { return at.time_since_epoch().count(); }
struct Morning {
    testing::ManualClock clock;
    MemoryStore store{[this] { return microseconds(clock.wall()); }};
    Desk desk;
    Bound<std::remove_cvref_t<decltype(reminder)>> workflow = reminder.with(desk);
    const WallTime begin = clock.wall();
};
inline std::optional<RunRow> row_of(Store& store, const std::string& id) {
    std::optional<RunRow> found;
    store.list({.ids = {id}}, [&](std::exception_ptr, std::vector<RunRow> rows) {
        if (!rows.empty()) found = rows[0];
    });
    return found;
}
/// The recorded end of the run's only sleep, in microseconds since 1970; 0: none.
inline std::int64_t end_of_sleep(Store& store, const std::string& id) {
    std::int64_t end = 0;
    if (row_of(store, id))
        for (auto& tick : ticks_of(store, id))
            if (tick.value("name", "") == "weft.sleep.1") end = tick.at("value");
    return end;
}
}
