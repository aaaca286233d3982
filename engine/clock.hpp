// The source of time. A loop and everything that runs on it read one clock, so a test can control the time.
//
//     co_await sleep_for(2s);                       // in a step: uses the clock of its loop
//     testing::ManualClock clock;                   // in a test: hours pass (engine/testing/manual_clock.hpp)
//
// Times are monotonic: a jump of the wall clock changes nothing. Stored times that another process reads are wall
// times, because monotonic times of two processes are unrelated.
#pragma once
#include "engine/describe.hpp"
#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace weft {
namespace asio = boost::asio;
using Duration = std::chrono::nanoseconds;                          // of waits, timeouts and measurements
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;  // since 1970, UTC
std::string in_seconds(Duration);                                   // "1.5 s"

/// Calls back once at a set time. After destruction or clear() it never calls.
class Alarm {
public:
    virtual ~Alarm() = default;
    virtual void set(std::chrono::steady_clock::time_point at) = 0;  // replaces the earlier time
    virtual void clear() = 0;
};

/// Reads times and makes alarms.
class Clock {
public:
    using Time = std::chrono::steady_clock::time_point;  // comparable only with times of the same clock
    virtual ~Clock() = default;
    virtual Time now() const = 0;  // the monotonic time, which a manual clock's test sets
    /// The wall-clock time. Users and time servers set it, so it may jump in either direction.
    virtual WallTime wall() const;
    /// Like now(), but also counts the time while the machine is suspended, because leases run out meanwhile.
    virtual Duration since_boot() const;
    /// The time after which a wait for a wall-clock time reads wall() again: until then now() may have stood still in a
    /// suspended machine, and wall() may have jumped.
    virtual Duration between_looks() const { return std::chrono::minutes(1); }
    /// The alarm calls `ring` on the executor, or `lost` once if the executor's context is destroyed first. The clock
    /// must outlive its alarms.
    virtual std::unique_ptr<Alarm> make_alarm(const asio::any_io_executor&, std::function<void()> ring,
                                              std::function<void()> lost = {}) = 0;
    /// A manual clock jumps to its next alarm and returns true; the real clock returns false.
    virtual bool jump() { return false; }
    /// now() plus the duration, saturated instead of an overflow.
    Time after(Duration) const;
};

/// The machine's clocks.
Clock& real_clock();

/// The executor on which coroutines and their operations run, and its clock.
struct Runtime {
    asio::any_io_executor executor;  // on which coroutines resume; its context has one thread
    Clock* clock = &real_clock();
};
}
