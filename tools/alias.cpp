// Hands everything on by hand: a virtual function that Tool gains has to be added here.
#include "tools/alias.hpp"
#include <algorithm>

namespace weft::tools {
namespace {
class Alias final : public Tool {
public:
    Alias(std::string name, std::shared_ptr<Tool> tool) : name_(std::move(name)), tool_(std::move(tool)) {}
    const std::string& name() const override { return name_; }
    const std::string& description() const override { return tool_->description(); }
    const nlohmann::json& schema() const override { return tool_->schema(); }
    std::vector<std::string> parameters() const override { return tool_->parameters(); }
    bool is_parallel() const override { return tool_->is_parallel(); }
    awaitable<Observation> call(const nlohmann::json& arguments) override { return tool_->call(arguments); }

private:
    const std::string name_;
    const std::shared_ptr<Tool> tool_;
};
}

std::shared_ptr<Tool> alias(std::string name, std::shared_ptr<Tool> tool) {
    return std::make_shared<Alias>(std::move(name), std::move(tool));
}
Registry with_names(const Registry& tools, const std::vector<std::pair<std::string, std::string>>& names) {
    Registry renamed;
    for (const auto& tool : tools.all()) {
        const auto same = [&tool](const auto& pair) { return pair.first == tool->name(); };
        const auto found = std::find_if(names.begin(), names.end(), same);
        renamed.add(found == names.end() ? tool : alias(found->second, tool));
    }
    return renamed;
}
}
