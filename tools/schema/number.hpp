// Numbers as people and models write them: the shortest text that reads back as the same double. 5500, 0.0001,
// 18527.424242424244, 1e+20. The locale has no effect.
#pragma once
#include <cstdint>
#include <string>

namespace weft::tools {
inline constexpr double exact_integers = 9007199254740992.0;  // 2^53: smaller doubles hold every integer
inline bool counts(double v) { return v > -exact_integers && v < exact_integers && double(std::int64_t(v)) == v; }
/// Returns `value`, the result of `what` from a and b. Throws ToolError for an integer that may have been rounded.
double exact(double a, double b, double value, const char* what);
/// Writes whole numbers below 1e16 as integers. Throws ToolError for a number that is not finite.
std::string print_number(double);
/// Writes a number like Python's repr: 5500.0, inf.
std::string print_float(double);
}
