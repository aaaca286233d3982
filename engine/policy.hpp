// How a step is run: how often at once, how long, how often again.
#pragma once
#include "engine/retry.hpp"

namespace weft {
struct Policy {
    std::uint32_t workers = 4;
    std::uint8_t recoveries = 1;          // of a step that accepts StepFailedEvent
    std::chrono::nanoseconds timeout{0};  // 0: none
    Retry retry{.attempts = 1};
    bool operator==(const Policy&) const = default;
};
}
