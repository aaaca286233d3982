// Declares that a tool may run at the same time as others: it only reads, or none of them sees what it changes.
//
//     tools.add(parallel(make_tool("weather", "Tells the weather of a city.", weather, {"city"})));
//
// If a model asks for several calls in one reply, they run side by side if every tool among them is parallel, else one
// after another in the order of the reply.
#pragma once
#include "tools/tool.hpp"
#include <memory>

namespace weft::tools {
std::shared_ptr<Tool> parallel(std::shared_ptr<Tool>);
}
