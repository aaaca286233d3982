// A ring of ten counters, one a second: a counter of an older second counts as empty.
#include "steps/models/http/retry_allowance.hpp"

namespace weft::models {
RetryAllowance::SecondCounts& RetryAllowance::at(Clock::Time now) {
    const auto number = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    auto& second = window_[static_cast<std::size_t>(number) % seconds];
    if (second.number != number) second = {number, 0, 0};
    return second;
}
void RetryAllowance::request(Clock::Time now) {
    const std::lock_guard lock(mutex_);
    ++at(now).requests;
}
bool RetryAllowance::retry(Clock::Time now) {
    const std::lock_guard lock(mutex_);
    auto& current = at(now);
    long requests = 0, retries = 0;
    for (const auto& second : window_)  // a test's clock may be behind: later seconds do not count
        if (second.number <= current.number && second.number > current.number - static_cast<std::int64_t>(seconds)) {
            requests += second.requests;
            retries += second.retries;
        }
    const double most = std::max<double>(settings_.least, settings_.share * static_cast<double>(requests));
    if (static_cast<double>(retries) >= most) return false;
    ++current.retries;
    return true;
}
const std::shared_ptr<RetryAllowance>& RetryAllowance::of_process() {
    static const auto one = std::make_shared<RetryAllowance>();
    return one;
}
}
