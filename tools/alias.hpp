// A tool under another name: where a prompt, a script or a habit of models knows it by that.
//
//     tools.add(alias("calculate", math_calculator()));
//     auto renamed = with_names(tools, {{"math_calculator", "calculate"}});
#pragma once
#include "tools/registry.hpp"
#include <utility>

namespace weft::tools {
/// The same tool, but for its name.
std::shared_ptr<Tool> alias(std::string name, std::shared_ptr<Tool>);
/// The same tools in the same order, those that are listed under their other name. Names that no tool has are left out.
Registry with_names(const Registry&, const std::vector<std::pair<std::string, std::string>>& names);
}
