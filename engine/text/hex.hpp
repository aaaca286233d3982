// Writes a number as 16 hexadecimal digits, without the cost of snprintf.
#pragma once
#include <cstdint>
#include <string>

namespace weft {
inline std::string hex(std::uint64_t number) {
    std::string digits(16, '0');
    for (auto at = digits.size(); number; number >>= 4) digits[--at] = "0123456789abcdef"[number & 15];
    return digits;
}
}
