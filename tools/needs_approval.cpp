// Changes the declaration of the tool, not its behaviour. A declaration of the tool itself stays valid.
#include "tools/needs_approval.hpp"
#include "engine/error.hpp"
#include "tools/wrapper.hpp"

namespace weft::tools {
namespace {
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
}

std::shared_ptr<Tool> needs_approval(std::shared_ptr<Tool> tool) {
    return needs_approval(std::move(tool), [](const nlohmann::json&) { return true; });
}
std::shared_ptr<Tool> needs_approval(std::shared_ptr<Tool> tool, ApprovalRule rule) {
    if (!rule)
        throw Error(Code::usage, "needs_approval was given an empty rule: leave it out, and every call is asked for");
    return std::make_shared<NeedsApproval>(std::move(tool), std::move(rule));
}
}
