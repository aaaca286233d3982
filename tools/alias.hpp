// A tool under another name: a name that a prompt or a script uses, or that models expect.
//
//     tools.add(alias("calculate", math_calculator()));
//     auto renamed = with_names(tools, {{"math_calculator", "calculate"}});
#pragma once
#include "tools/registry.hpp"
#include <utility>

namespace weft::tools {
/// The tool under another name.
std::shared_ptr<Tool> alias(std::string name, std::shared_ptr<Tool>);
/// The tools in the same order; tools in the list have their new names. Unknown names are ignored.
Registry with_names(const Registry&, const std::vector<std::pair<std::string, std::string>>& names);
}
