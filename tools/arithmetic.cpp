#include "tools/arithmetic.hpp"
#include "tools/make_tool.hpp"

namespace weft::tools {
double add(double a, double b) { return a + b; }
double subtract(double a, double b) { return a - b; }
double multiply(double a, double b) { return a * b; }
double divide(double a, double b) {
    if (b == 0) throw ToolError("division by zero: b must not be 0");
    return a / b;
}

std::vector<std::shared_ptr<Tool>> arithmetic() {
    return {make_tool("add", "Adds two numbers: a + b.", add, {"a", "b"}),
            make_tool("subtract", "Subtracts the second number from the first: a - b.", subtract, {"a", "b"}),
            make_tool("multiply", "Multiplies two numbers: a * b.", multiply, {"a", "b"}),
            make_tool("divide", "Divides the first number by the second: a / b.", divide, {"a", "b"})};
}
}
