// a tool's function takes its context once, as ToolContext&, as its first or its last parameter
#include "tools/make_tool.hpp"
using namespace weft::tools;
#ifdef WRONG
auto load = [](ToolContext&, std::string what, ToolContext&) { return what; };
#else
auto load = [](ToolContext&, std::string what) { return what; };
#endif
const auto tool = make_tool("load", "Loads.", load, {"what"});
