// A tool under another name: one that a prompt or a script uses, or that models expect.
//
//     tools.add(alias("calculate", math_calculator()));
//     auto renamed = with_names(tools, {{"math_calculator", "calculate"}});
#pragma once
#include "tools/registry.hpp"
#include <utility>

namespace weft::tools {
/// The same tool with another name.
std::shared_ptr<Tool> alias(std::string name, std::shared_ptr<Tool>);
/// The same tools in the same order; those in the list get their other name. Unknown names are ignored.
Registry with_names(const Registry&, const std::vector<std::pair<std::string, std::string>>& names);
}
