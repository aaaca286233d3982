// A tool around another one: all that it does not change is the other's. A virtual function that Tool gains has to be
// added here, or else it would be lost on the way. What changes the call overrides call_for(), because the tool inside
// may need to know the caller.
//
//     class Renamed final : public ToolWrapper {
//     public:
//         explicit Renamed(std::shared_ptr<Tool> tool) : ToolWrapper(std::move(tool)) {}
//         const std::string& name() const override { return name_; }
//         ...
#pragma once
#include "tools/tool.hpp"
#include <memory>

namespace weft::tools {
class ToolWrapper : public Tool {
public:
    const std::string& name() const override { return tool_->name(); }
    const std::string& description() const override { return tool_->description(); }
    const nlohmann::json& schema() const override { return tool_->schema(); }
    std::vector<std::string> parameters() const override { return tool_->parameters(); }
    bool is_parallel() const override { return tool_->is_parallel(); }
    awaitable<Observation> call(const nlohmann::json& arguments) final { return call_for(nullptr, arguments); }
    awaitable<Observation> call_for(Caller* caller, const nlohmann::json& arguments) override {
        return tool_->call_for(caller, arguments);
    }

protected:
    explicit ToolWrapper(std::shared_ptr<Tool> tool) : tool_(std::move(tool)) {}

private:
    const std::shared_ptr<Tool> tool_;
};
}
