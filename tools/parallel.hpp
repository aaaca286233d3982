// Declares that calls of a tool may overlap with others: it only reads, or changes nothing that the others see.
//
//     tools.add(parallel(make_tool("weather", "Tells the weather of a city.", weather, {"city"})));
//
// Several calls in one reply run at the same time if all their tools are parallel; otherwise they run one after another
// in the order of the reply.
#pragma once
#include "tools/tool.hpp"
#include <memory>

namespace weft::tools {
std::shared_ptr<Tool> parallel(std::shared_ptr<Tool>);
}
