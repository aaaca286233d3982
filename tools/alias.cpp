// Changes the name, and nothing else.
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
