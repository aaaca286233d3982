// Hands everything on by hand: a virtual function that Tool gains has to be added here.
#include "tools/parallel.hpp"

namespace weft::tools {
namespace {
class Parallel final : public Tool {
public:
    explicit Parallel(std::shared_ptr<Tool> tool) : tool_(std::move(tool)) {}
    const std::string& name() const override { return tool_->name(); }
    const std::string& description() const override { return tool_->description(); }
    const nlohmann::json& schema() const override { return tool_->schema(); }
    std::vector<std::string> parameters() const override { return tool_->parameters(); }
    bool is_parallel() const override { return true; }
    awaitable<Observation> call(const nlohmann::json& arguments) override { return tool_->call(arguments); }

private:
    const std::shared_ptr<Tool> tool_;
};
}

std::shared_ptr<Tool> parallel(std::shared_ptr<Tool> tool) { return std::make_shared<Parallel>(std::move(tool)); }
}
