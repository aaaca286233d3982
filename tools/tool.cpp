// Without a declared order the required parameters come first, in their order; the others are sorted by name, because a
// JSON object keeps no order.
#include "tools/tool.hpp"
#include "tools/tool_context.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::tools {
awaitable<Observation> ContextTool::call(const nlohmann::json& arguments) {
    ToolContext nobody;
    co_return co_await call(arguments, nobody);
}
std::vector<std::string> Tool::parameters() const {
    std::vector<std::string> names;
    const auto add = [&names](const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    const auto& form = schema();
    if (const auto required = form.find("required"); required != form.end() && required->is_array())
        for (const auto& name : *required)
            if (name.is_string()) add(name.get<std::string>());
    if (const auto properties = form.find("properties"); properties != form.end() && properties->is_object())
        for (const auto& [name, property] : properties->items()) add(name);
    return names;
}
}
