#include "engine/retry.hpp"
#include <algorithm>
#include <cmath>

namespace weft {
std::chrono::nanoseconds Wait::before_retry(unsigned n, double random) const {
    const auto limit = double(std::max(first, most).count());
    const double full = std::min(limit, double(first.count()) * std::pow(factor, double(n) - 1));
    return std::chrono::nanoseconds(std::int64_t(full * (1 - jitter * random)));
}
}
