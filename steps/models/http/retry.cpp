// The jitter covers the whole wait, but only half of the wait for an overloaded server.
#include "steps/models/http/retry.hpp"
#include "engine/retry.hpp"
#include <algorithm>

namespace weft::models {
std::optional<std::chrono::milliseconds> next_wait(const RetryPolicy& policy, const Fault& fault, int attempt,
                                                   double chance) {
    using std::chrono::milliseconds;
    if (attempt >= policy.attempts || attempt > fault.retries) return {};
    const auto floor = fault.floor.value_or(milliseconds(0));
    if (floor > policy.longest_wait) return {};
    Wait wait = exponential(policy.base, policy.cap);
    if (fault.overloaded) {
        wait.first = std::max(policy.overload, policy.base);
        wait.jitter = 0.5;  // keeps at least half of the wait
    }
    return floor + std::chrono::round<milliseconds>(wait.before_retry(static_cast<unsigned>(attempt), 1 - chance));
}
}
