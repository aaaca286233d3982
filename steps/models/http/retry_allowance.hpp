// How many retries a process may spend, so that a server in trouble is not asked many times as often as usual by all
// runs at once: a tenth of the requests of the last ten seconds, and a few in any case, so that a lone agent has its
// retries too.
//
//     allowance.request(now);                   // a call begins
//     if (!allowance.retry(now)) give_up();     // it would be asked again
//
// Shared by all models of the process unless a model is given another one. Thread-safe; times are of a loop's clock.
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
        int least = 10;  // in the window, whatever the number of requests
    };
    RetryAllowance() : RetryAllowance(Settings{}) {}
    explicit RetryAllowance(Settings settings) : settings_(settings) {}
    void request(Clock::Time now);
    bool retry(Clock::Time now);  // counts it, if it may be

    static const std::shared_ptr<RetryAllowance>& of_process();

private:
    static constexpr std::size_t seconds = 10;
    struct Second {
        std::int64_t number = -1;
        int requests = 0, retries = 0;
    };
    Second& at(Clock::Time);
    const Settings settings_;
    std::mutex mutex_;
    std::array<Second, seconds> window_;
};
}
