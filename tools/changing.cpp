// Changes the declaration of the tool, not its behaviour. Keeps the tool's own declaration, if there is one.
#include "tools/changing.hpp"
#include "engine/error.hpp"
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
}

std::shared_ptr<Tool> changing(std::shared_ptr<Tool> tool) {
    return changing(std::move(tool), [](const nlohmann::json&) { return true; });
}
std::shared_ptr<Tool> changing(std::shared_ptr<Tool> tool, ChangeRule rule) {
    if (!rule)
        throw Error(Code::usage, "changing was given an empty rule: leave it out, and every call changes something");
    return std::make_shared<ChangingTool>(std::move(tool), std::move(rule));
}
}
