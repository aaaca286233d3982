// A clock that a test controls. Time stands still until the test moves it, or until all is idle: then `await` and the
// engine's test drivers jump to the next alarm, so a run of hours takes milliseconds.
//
//     testing::ManualClock clock;
//     testing::await(work(), clock);     // jumps by itself
//     clock.advance(2h);                 // or by hand; due alarms fire on their executors
//     clock.jump_wall(-1h);              // changes the date: no alarm fires, and now() stays
#pragma once
#include "engine/clock.hpp"
#include <map>
#include <mutex>

namespace weft::testing {
class ManualClock final : public Clock {
public:
    Time now() const override;
    /// Begins at 2026-01-01 00:00:00 UTC, and advances with now().
    WallTime wall() const override;
    void jump_wall(Duration);
    Duration since_boot() const override { return now().time_since_epoch(); }
    Duration between_looks() const override { return std::chrono::hours(24); }
    std::unique_ptr<Alarm> make_alarm(const asio::any_io_executor&, std::function<void()> ring,
                                      std::function<void()> lost = {}) override;
    void advance(Duration);
    /// Moves to the next alarm; returns false if none is set. Thread-safe, like all functions.
    bool jump() override;

private:
    struct Entry;
    class ManualAlarm;
    class ContextEnd;
    void ring_until(Time);
    mutable std::mutex mutex_;
    static constexpr Time begin_{std::chrono::hours(24)};
    Time now_ = begin_;
    Duration jumped_{};
    std::multimap<Time, std::shared_ptr<Entry>> alarms_;  // equal times fire in the order of their setting
};
}
