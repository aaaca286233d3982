// How a step is run: how often at once, how long, how often again; of whom it takes what.
#pragma once
#include "engine/retry.hpp"
#include <string_view>

namespace weft {
/// Names of steps, by the compiler.
struct StepNames {
    const std::string_view* first = nullptr;
    std::size_t size = 0;
    constexpr const std::string_view* begin() const { return first; }
    constexpr const std::string_view* end() const { return first + size; }
    bool operator==(const StepNames&) const = default;
};
struct Policy {
    std::uint32_t workers = 4;
    std::uint32_t first = 0;              // of a collector: goes on with so many branches; 0: with all
    std::uint8_t recoveries = 1;          // of a failure handler
    StepNames of;                         // of a failure handler: the steps whose failures it takes; none: all
    std::chrono::nanoseconds timeout{0};  // 0: none
    Retry retry{.attempts = 1};
    bool operator==(const Policy&) const = default;
};
}
