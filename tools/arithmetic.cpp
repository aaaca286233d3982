// Integers arrive as doubles, so a wrapper checks the arguments before they are rounded.
#include "tools/arithmetic.hpp"
#include "tools/make_tool.hpp"
#include "tools/wrapper.hpp"

namespace weft::tools {
namespace {
/// Refuses integers that the double parameter would round.
class ExactTool final : public ToolWrapper {
public:
    explicit ExactTool(std::shared_ptr<Tool> tool) : ToolWrapper(std::move(tool)) {}
    awaitable<Observation> call(const nlohmann::json& arguments, ToolContext& context) override {
        for (const auto& value : arguments)
            if (value.is_number_integer() && !counts(value.get<double>()))
                throw ToolError("the integer " + value.dump() + " is 2^53 or more, too large to be exact");
        return ToolWrapper::call(arguments, context);
    }
};
}

std::shared_ptr<Tool> only_exact(std::shared_ptr<Tool> tool) { return std::make_shared<ExactTool>(std::move(tool)); }

double add(double a, double b) { return exact(a, b, a + b, "an addition"); }
double subtract(double a, double b) { return exact(a, b, a - b, "a subtraction"); }
double multiply(double a, double b) { return exact(a, b, a * b, "a multiplication"); }
double divide(double a, double b) {
    if (b == 0) throw ToolError("division by zero: b must not be 0");
    return a / b;
}

std::vector<std::shared_ptr<Tool>> arithmetic() {
    const auto make_exact = [](std::string name, std::string description, double (*function)(double, double)) {
        return only_exact(make_tool(std::move(name), std::move(description), function, {"a", "b"}));
    };
    return {make_exact("add", "Adds two numbers: a + b.", add),
            make_exact("subtract", "Subtracts the second number from the first: a - b.", subtract),
            make_exact("multiply", "Multiplies two numbers: a * b.", multiply),
            make_exact("divide", "Divides the first number by the second: a / b.", divide)};
}
}
