// Limits the retries of a process, so that its runs do not flood a server in trouble: to a tenth of the requests of the
// last ten seconds, and always a few, because a single agent needs them.
//
//     allowance.request(now);                   // a call begins
//     if (!allowance.retry(now)) give_up();     // before a retry
//
// One allowance serves all models of the process, unless a model gets its own. Thread-safe; times are a loop clock's.
#pragma once
#include "engine/clock.hpp"
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

namespace weft::models {
class RetryAllowance {
public:
    struct Settings {
        double share = 0.1;
        int least = 10;  // minimum in the window
    };
    RetryAllowance() : RetryAllowance(Settings{}) {}
    explicit RetryAllowance(Settings settings) : settings_(settings) {}
    void request(Clock::Time now);
    bool retry(Clock::Time now);  // counts the retry, if it is allowed

    static const std::shared_ptr<RetryAllowance>& of_process();

private:
    static constexpr std::size_t seconds = 10;
    struct SecondCounts {
        std::int64_t number = -1;
        int requests = 0, retries = 0;
    };
    SecondCounts& at(Clock::Time);
    const Settings settings_;
    std::mutex mutex_;
    std::array<SecondCounts, seconds> window_;
};
}
