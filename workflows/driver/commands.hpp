// The commands of the driver, one file each. Each adds itself to the command line, and sets the action if it is chosen.
#pragma once
#include "workflows/driver/exit_code.hpp"
#include <functional>
#include <string_view>

namespace CLI {
class App;
}
namespace weft::driver {
using Action = std::function<Exit()>;
void add_agents(CLI::App&, Action&);  // one command each
/// Whether it is the name of such a command.
bool is_agent(std::string_view command);
void add_compare(CLI::App&, Action&);
void add_describe(CLI::App&, Action&);
void add_call(CLI::App&, Action&);
void add_run(CLI::App&, Action&);
void add_lists(CLI::App&, Action&);  // list, graph, schema, tools, scripts
void add_prompt(CLI::App&, Action&);
void add_parse(CLI::App&, Action&);
}
