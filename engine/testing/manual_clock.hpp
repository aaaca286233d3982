// A clock that a test owns. Time stands still until the test moves it, or until all is quiet: then `await` and the
// engine's test drivers jump to the next alarm, so a run of hours takes milliseconds.
//
//     testing::ManualClock clock;
//     testing::await(work(), clock);     // jumps by itself
//     clock.advance(2h);                 // or by hand; alarms that are due ring on their executors
#pragma once
#include "engine/clock.hpp"
#include <map>
#include <mutex>

namespace weft::testing {
class ManualClock final : public Clock {
public:
    Time now() const override;
    std::unique_ptr<Alarm> make_alarm(const asio::any_io_executor&, std::function<void()> ring,
                                      std::function<void()> lost = {}) override;
    void advance(Duration);
    /// Moves to the next alarm; false if none is set. Safe from any thread, as all of it.
    bool jump() override;

private:
    struct Entry;
    class Manual;
    class Farewell;
    void ring_until(Time);
    mutable std::mutex mutex_;
    Time now_{std::chrono::hours(24)};
    std::multimap<Time, std::shared_ptr<Entry>> alarms_;  // equal times ring in the order in which they were set
};
}
