// Runs that are watched, and take signals: for the tests of SignalEvent.
#pragma once
#include "engine/durable.hpp"
#include "engine/run.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/timed.hpp"
#include <nlohmann/json.hpp>

namespace watches {
using namespace weft;
using namespace dying;
using namespace std::chrono_literals;

struct WatchEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(WatchEvent, (), ())
struct PauseEvent : SignalEvent {
    std::string by;
};
BOOST_DESCRIBE_STRUCT(PauseEvent, (), (by))
struct WatchQuestionEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(WatchQuestionEvent, (), ())
struct WatchOverEvent : HumanResponseEvent {};
BOOST_DESCRIBE_STRUCT(WatchOverEvent, (), ())
struct WatchedEvent : StopEvent {
    std::string by;
};
BOOST_DESCRIBE_STRUCT(WatchedEvent, (), (by))
struct PausedBy {
    std::string names;
};
BOOST_DESCRIBE_STRUCT(PausedBy, (), (names))

inline void watch(Context&, WatchEvent) {}
inline WatchQuestionEvent watch_and_ask(Context&, WatchEvent) { return {}; }
inline void pause_watch(Context& ctx, PauseEvent pause) {
    ctx.edit<PausedBy>([&](PausedBy& paused) { paused.names += pause.by; });
}
inline WatchedEvent end_third_pause(Context& ctx, PauseEvent pause) {
    auto names = ctx.get<PausedBy>().names + pause.by;
    ctx.edit<PausedBy>([&](PausedBy& paused) { paused.names = names; });
    return {.by = names};
}
inline std::optional<WatchedEvent> count_pauses(Context& ctx, PauseEvent pause) {
    auto ended = end_third_pause(ctx, std::move(pause));
    if (ended.by.size() < 3) return std::nullopt;
    return ended;
}
inline WatchedEvent end_watch(Context& ctx, WatchOverEvent) { return {.by = ctx.get<PausedBy>().names}; }
inline constexpr auto counted_watch = workflow("counted_watch", step<watch>, step<count_pauses>);
inline awaitable<WatchedEvent> sleep_watch(Context& ctx, WatchEvent) {
    co_await ctx.sleep(72h);
    co_return WatchedEvent{.by = ctx.get<PausedBy>().names};
}
inline constexpr auto sleeping_watch = workflow("sleeping_watch", step<sleep_watch>, step<pause_watch>);
inline constexpr auto asking_watch = workflow("asking_watch", step<watch_and_ask>, step<pause_watch>, step<end_watch>);

/// As counted_watch, but for the kind of its event.
namespace plain {
struct PauseEvent : HumanResponseEvent {
    std::string by;
};
BOOST_DESCRIBE_STRUCT(PauseEvent, (), (by))
inline std::optional<WatchedEvent> count_pauses(Context&, PauseEvent) { return {}; }
}
inline constexpr auto unsignalled_watch = workflow("counted_watch", step<watch>, step<plain::count_pauses>);

inline void mail_pause(Store& store, const std::string& id, const std::string& by) {
    const nlohmann::json body{{"event", "PauseEvent"}, {"data", {{"by", by}}}};
    store.send({"w", id, body.dump()}, [](std::exception_ptr error, storage::SendReply) { CHECK_FALSE(error); });
}
}
