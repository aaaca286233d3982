// Jitter is over the whole wait, except for an overloaded server, which is never asked again soon.
#include "steps/llm/retry.hpp"
#include <algorithm>
#include <cmath>

namespace weft::llm {
Wait next_wait(const RetryPolicy& policy, const Fault& fault, int attempt, double chance) {
    using std::chrono::milliseconds;
    if (attempt >= policy.attempts || attempt > fault.retries) return {};
    const auto floor = fault.floor.value_or(milliseconds(0));
    if (floor > policy.longest_wait) return {};
    const auto base = fault.overloaded ? std::max(policy.overload, policy.base) : policy.base;
    const double most = std::min(static_cast<double>(base.count()) * std::exp2(std::min(attempt - 1, 30)),
                                 static_cast<double>(std::max(policy.cap, base).count()));
    const double share = fault.overloaded ? (1 + chance) / 2 : chance;  // never soon
    return floor + milliseconds(std::llround(share * most));
}
}
