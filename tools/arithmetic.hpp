// add, subtract, multiply, divide: the four tools of two numbers. Integers are exact, or refused from 2^53 on.
#pragma once
#include "tools/tool.hpp"
#include <memory>
#include <vector>

namespace weft::tools {
double add(double a, double b);  // this and the next two throw ToolError for integers that would be rounded
double subtract(double a, double b);
double multiply(double a, double b);
double divide(double a, double b);  // throws ToolError for a division by zero
/// The same tool, but it refuses integers that a double cannot hold exactly.
std::shared_ptr<Tool> only_exact(std::shared_ptr<Tool>);
std::vector<std::shared_ptr<Tool>> arithmetic();
}
