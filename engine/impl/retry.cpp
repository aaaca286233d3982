// Computes in double, because a factor's power soon exceeds 64 bits; cuts the result to about 285 years.
#include "engine/retry.hpp"
#include <algorithm>
#include <cmath>

namespace weft {
std::chrono::nanoseconds Wait::before_retry(unsigned n, double random) const {
    const auto limit = double(std::max(first, most).count());
    const double grown = first.count() <= 0 ? 0 : double(first.count()) * std::pow(factor, double(n) - 1);
    const double wait = std::min(limit, grown) * (1 - std::clamp(jitter, 0.0, 1.0) * random);
    return std::chrono::nanoseconds(std::int64_t(std::clamp(wait, 0.0, 9e18)));  // about 285 years
}
}
