// Where time comes from. A loop and everything that runs on it read one clock, so that a test can own the time.
//
//     co_await sleep_for(2s);                       // in a step: by the clock of its loop
//     testing::ManualClock clock;                   // in a test: hours pass (engine/testing/manual_clock.hpp)
//
// Times are monotonic: a jump of the wall clock changes nothing. What is stored, and read again by another process, is
// a wall time, because monotonic times of two processes have nothing in common.
#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace weft {
namespace asio = boost::asio;
using Duration = std::chrono::nanoseconds;
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;  // since 1970, UTC
std::string in_seconds(Duration);                                   // "1.5 s"

/// Calls back once at a set time. After it is destroyed or cleared, it does not call any more.
class Alarm {
public:
    virtual ~Alarm() = default;
    virtual void set(std::chrono::steady_clock::time_point at) = 0;  // replaces the time that was set before
    virtual void clear() = 0;
};

class Clock {
public:
    using Time = std::chrono::steady_clock::time_point;
    virtual ~Clock() = default;
    virtual Time now() const = 0;
    /// The date. People and servers set it, so it may jump in either direction.
    virtual WallTime wall() const;
    /// Like now(), but it also counts the time while the machine is suspended, during which a lease goes on.
    virtual Duration since_boot() const;
    /// `ring` is called on the executor; `lost` once if the executor's context is destroyed before that. The clock
    /// outlives its alarms.
    virtual std::unique_ptr<Alarm> make_alarm(const asio::any_io_executor&, std::function<void()> ring,
                                              std::function<void()> lost = {}) = 0;
    /// A test's clock jumps to its next alarm; the real one cannot, and returns false.
    virtual bool jump() { return false; }
    /// Now and a duration, without overflow: far away stays far away.
    Time after(Duration) const;
};

/// The machine's clocks.
Clock& real_clock();

/// What coroutines run on: where their operations complete, and what time it is there.
struct Runtime {
    asio::any_io_executor executor;
    Clock* clock = &real_clock();
};
}
