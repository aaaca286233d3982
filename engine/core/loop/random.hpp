// Pseudo-random numbers: the finaliser of splitmix64 (Steele, Lea, Flood 2014). Pure, so that an engine's random
// numbers depend only on its seed.
#pragma once
#include <cstdint>

namespace weft::core {
/// A seed unique in this process, and most likely also among processes.
std::uint64_t draw_seed();
constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}
}
