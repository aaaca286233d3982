// An expression's value, for models that cannot multiply: numbers, + - * / % ^ (or **), parentheses, a fixed list of
// functions, pi and e. Nothing else can be called.
//
//     calculate("(17200 - 5500) / 5500 * 100");        // 212.72727272727272
//
// The operators are Python's: -2 ** 2 is -4, powers group from the right, the sign of % is the divisor's. A value that
// is not finite, an integer of 2^53 or more that came from integers (it would be rounded), and any text that is not an
// expression is a ToolError that says what to write instead. At most 1000 bytes and 64 parentheses deep, which takes
// under a millisecond, so it runs on the loop. Independent of the locale; safe in any thread.
#pragma once
#include "tools/tool.hpp"
#include <memory>
#include <string_view>

namespace weft::tools {
double calculate(std::string_view expression);
/// One of its operators, + - * / % ^, with its rules.
double operate(char op, double a, double b);
std::shared_ptr<Tool> math_calculator();
}
