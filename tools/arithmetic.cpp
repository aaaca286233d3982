// Integers come as doubles, so a wrapper looks at the arguments before they are rounded.
#include "tools/arithmetic.hpp"
#include "tools/make_tool.hpp"

namespace weft::tools {
namespace {
/// What was written as an integer is exact or refused: its parameter is a double, which would round it.
class ExactTool final : public Tool {
public:
    explicit ExactTool(std::shared_ptr<Tool> tool) : tool_(std::move(tool)) {}
    const std::string& name() const override { return tool_->name(); }
    const std::string& description() const override { return tool_->description(); }
    const nlohmann::json& schema() const override { return tool_->schema(); }
    std::vector<std::string> parameters() const override { return tool_->parameters(); }
    awaitable<Observation> call(const nlohmann::json& arguments) override {
        look_at(arguments);
        auto work = tool_->call(arguments);
        auto observation = co_await std::move(work);
        co_return observation;
    }

private:
    static void look_at(const nlohmann::json& arguments) {
        for (const auto& value : arguments)
            if (value.is_number_integer() && !counts(value.get<double>()))
                throw ToolError("the integer " + value.dump() + " is 2^53 or more, too large to be exact");
    }
    const std::shared_ptr<Tool> tool_;
};
template <class F> std::shared_ptr<Tool> make_exact(std::string name, std::string description, F function) {
    return std::make_shared<ExactTool>(make_tool(std::move(name), std::move(description), function, {"a", "b"}));
}
}

double add(double a, double b) { return exact(a, b, a + b, "an addition"); }
double subtract(double a, double b) { return exact(a, b, a - b, "a subtraction"); }
double multiply(double a, double b) { return exact(a, b, a * b, "a multiplication"); }
double divide(double a, double b) {
    if (b == 0) throw ToolError("division by zero: b must not be 0");
    return a / b;
}

std::vector<std::shared_ptr<Tool>> arithmetic() {
    return {make_exact("add", "Adds two numbers: a + b.", add),
            make_exact("subtract", "Subtracts the second number from the first: a - b.", subtract),
            make_exact("multiply", "Multiplies two numbers: a * b.", multiply),
            make_exact("divide", "Divides the first number by the second: a / b.", divide)};
}
}
