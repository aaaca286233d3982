// Calculates expressions for models, which cannot multiply reliably: numbers, + - * / % ^ (or **), parentheses, a fixed
// list of functions, pi and e.
//
//     calculate("(17200 - 5500) / 5500 * 100");        // 212.72727272727272
//
// The operators are Python's: -2 ** 2 is -4, powers group from the right, the sign of % is the divisor's. ToolError for
// an infinite value, an integer result of 2^53 or more from integers (it would be rounded), and other text; the message
// says what to write instead. The limits are 1000 bytes and 64 nested parentheses. A calculation takes less than a
// millisecond, so it runs on the loop. The result does not depend on the locale; any thread may call.
#pragma once
#include "tools/tool.hpp"
#include <memory>
#include <string_view>

namespace weft::tools {
double calculate(std::string_view expression);
/// Applies one of the operators + - * / % ^, with the same rules.
double operate(char op, double a, double b);
/// calculate() as a tool with the argument `expression`.
std::shared_ptr<Tool> math_calculator();
}
