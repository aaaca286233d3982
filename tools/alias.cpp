// Changes the name only.
#include "tools/alias.hpp"
#include "tools/wrapper.hpp"
#include <algorithm>

namespace weft::tools {
namespace {
class Alias final : public ToolWrapper {
public:
    Alias(std::string name, std::shared_ptr<Tool> tool) : ToolWrapper(std::move(tool)), name_(std::move(name)) {}
    const std::string& name() const override { return name_; }

private:
    const std::string name_;
};
/// Applies the permissions of a tool to its other name; rules still get the original name.
Permissions with_names(Permissions permissions, const std::vector<std::pair<std::string, std::string>>& names) {
    for (auto* list : {&permissions.allow, &permissions.ask, &permissions.deny})
        for (auto& name : *list)
            for (const auto& [before, now] : names)
                if (name == before) {
                    name = now;
                    break;
                }
    for (auto& rule : permissions.rules)
        rule = [rule, names](std::string_view tool, const nlohmann::json& arguments) {
            for (const auto& [before, now] : names)
                if (tool == now) return rule(before, arguments);
            return rule(tool, arguments);
        };
    return permissions;
}
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
    renamed.permit(with_names(tools.permissions(), names));
    return renamed;
}
}
