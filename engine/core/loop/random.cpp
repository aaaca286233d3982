// Reads the random device once per process; later seeds follow from a counter.
#include "engine/core/loop/random.hpp"
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
}
