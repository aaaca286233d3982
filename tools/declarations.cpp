// Changes declarations of a tool, not its behaviour. A declaration of the tool itself stays valid; permissions still
// decide whether a call runs.
#include "engine/error.hpp"
#include "tools/changing.hpp"
#include "tools/needs_approval.hpp"
#include "tools/parallel.hpp"
#include "tools/wrapper.hpp"

namespace weft::tools {
namespace {
class ChangingTool final : public ToolWrapper {
public:
    ChangingTool(std::shared_ptr<Tool> tool, ChangeRule rule) : ToolWrapper(std::move(tool)), rule_(std::move(rule)) {}
    bool changes(const nlohmann::json& arguments) const override {
        return rule_(arguments) || ToolWrapper::changes(arguments);
    }

private:
    const ChangeRule rule_;
};
class NeedsApproval final : public ToolWrapper {
public:
    NeedsApproval(std::shared_ptr<Tool> tool, ApprovalRule rule)
        : ToolWrapper(std::move(tool)), rule_(std::move(rule)) {}
    bool needs_approval(const nlohmann::json& arguments) const override {
        return rule_(arguments) || ToolWrapper::needs_approval(arguments);
    }

private:
    const ApprovalRule rule_;
};
class Parallel final : public ToolWrapper {
public:
    explicit Parallel(std::shared_ptr<Tool> tool) : ToolWrapper(std::move(tool)) {}
    bool is_parallel() const override { return true; }
};
}

std::shared_ptr<Tool> changing(std::shared_ptr<Tool> tool, ChangeRule rule) {
    if (!rule)
        throw Error(Code::usage, "changing was given an empty rule: leave it out, and every call changes something");
    return std::make_shared<ChangingTool>(std::move(tool), std::move(rule));
}
std::shared_ptr<Tool> needs_approval(std::shared_ptr<Tool> tool, ApprovalRule rule) {
    if (!rule)
        throw Error(Code::usage, "needs_approval was given an empty rule: leave it out, and every call is asked for");
    return std::make_shared<NeedsApproval>(std::move(tool), std::move(rule));
}
std::shared_ptr<Tool> parallel(std::shared_ptr<Tool> tool) { return std::make_shared<Parallel>(std::move(tool)); }
}
