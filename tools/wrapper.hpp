// A tool around another tool: forwards all functions that it does not change. Forward each new virtual function of Tool
// here. To change the call, override call() with a context: the inner tool may need the context.
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
class ToolWrapper : public ContextTool {
public:
    const std::string& name() const override { return tool_->name(); }
    const std::string& description() const override { return tool_->description(); }
    const nlohmann::json& schema() const override { return tool_->schema(); }
    const nlohmann::json& checked_schema() const override { return tool_->checked_schema(); }
    std::vector<std::string> parameters() const override { return tool_->parameters(); }
    bool is_parallel() const override { return tool_->is_parallel(); }
    bool needs_approval(const nlohmann::json& arguments) const override { return tool_->needs_approval(arguments); }
    bool changes(const nlohmann::json& arguments) const override { return tool_->changes(arguments); }
    std::string version() const override { return tool_->version(); }
    std::string change() const override { return tool_->change(); }
    void accept(const std::string& version) override { tool_->accept(version); }
    using ContextTool::call;
    awaitable<Observation> call(const nlohmann::json& arguments, ToolContext& context) override {
        return tool_->call(arguments, context);
    }

protected:
    explicit ToolWrapper(std::shared_ptr<Tool> tool) : tool_(std::move(tool)) {}

private:
    const std::shared_ptr<Tool> tool_;
};
}
