// Numbers as people and models write them: the shortest text that reads back as the same double. 5500, 0.0001,
// 18527.424242424244, 1e+20. Independent of the locale.
#pragma once
#include <cstdint>
#include <string>

namespace weft::tools {
inline constexpr double exact_integers = 9007199254740992.0;  // 2^53: below, a double counts in ones
inline bool counts(double v) { return v > -exact_integers && v < exact_integers && double(std::int64_t(v)) == v; }
/// The value, which `what` gave from a and b. Throws ToolError for an integer that may have been rounded on the way.
double exact(double a, double b, double value, const char* what);
/// Whole numbers below 1e16 as integers. Throws ToolError for a number that is not finite.
std::string print_number(double);
/// As Python's repr: 5500.0, inf.
std::string print_float(double);
}
