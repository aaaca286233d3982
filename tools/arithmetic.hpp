// Four tools for two numbers: add, subtract, multiply, divide. Integers are exact; from 2^53 on they are refused.
#pragma once
#include "tools/tool.hpp"
#include <memory>
#include <vector>

namespace weft::tools {
double add(double a, double b);  // add, subtract and multiply throw ToolError for integers that would be rounded
double subtract(double a, double b);
double multiply(double a, double b);
double divide(double a, double b);  // throws ToolError for a division by zero
/// Wraps a tool, and refuses integers that a double cannot hold exactly.
std::shared_ptr<Tool> only_exact(std::shared_ptr<Tool>);
/// The four functions as tools with the arguments a and b, all of them only_exact.
std::vector<std::shared_ptr<Tool>> arithmetic();
}
