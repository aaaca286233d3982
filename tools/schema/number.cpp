// Uses to_chars, which ignores the locale and writes the shortest text that reads back as the same double.
#include "tools/schema/number.hpp"
#include "tools/tool.hpp"
#include <charconv>
#include <cmath>

namespace weft::tools {
double exact(double a, double b, double value, const char* what) {
    if (counts(a) && counts(b) && std::abs(value) >= exact_integers)
        throw ToolError(std::string(what) + " gives an integer of 2^53 or more, which is too large to be exact");
    return value;
}
std::string print_float(double value) {
    char text[40];
    auto size = std::abs(value);
    auto format = size != 0 && (size < 1e-4 || size >= 1e16) ? std::chars_format::scientific : std::chars_format::fixed;
    std::string all(text, std::to_chars(text, text + sizeof text, value, format).ptr);
    if (format == std::chars_format::fixed && std::isfinite(value) && all.find('.') == all.npos) all += ".0";
    return all;
}
std::string print_number(double value) {
    if (!std::isfinite(value)) throw ToolError("the result is not a finite number");
    if (value == 0) return "0";  // zero or minus zero
    auto all = print_float(value);
    if (all.ends_with(".0")) all.resize(all.size() - 2);
    return all;
}
}
