// A number from a number, as if drawn: the finaliser of splitmix64 (Steele, Lea, Flood 2014). Pure, so that what an
// engine draws depends on its seed only.
#pragma once
#include <cstdint>

namespace weft::core {
/// A seed that differs from all others of this process, and most likely from those of other processes.
std::uint64_t draw_seed();
constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}
}
