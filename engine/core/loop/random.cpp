// Reads the random device once per process; later seeds follow from a counter.
#include "engine/core/loop/random.hpp"
#include "engine/core/loop/attempts.hpp"
#include <atomic>
#include <random>

namespace weft::core {
std::uint64_t draw_seed() {
    static const std::uint64_t first = [] {
        std::random_device device;
        return std::uint64_t(device()) << 32 | device();
    }();
    static std::atomic<std::uint64_t> drawn{0};
    return mix(first + drawn++);
}
double Attempts::random(const RunCore& run, StepIndex step, unsigned attempt) const {
    auto x = seed_ ^ (run.number - first_number()) * 0x9e3779b97f4a7c15 ^ std::uint64_t(step) << 32 ^ attempt;
    return double(mix(x) >> 11) * 0x1p-53;
}
}
