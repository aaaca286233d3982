// The commands of the driver, one file each. A command lists its options, and has a function that acts on their values.
#pragma once
#include "workflows/driver/options.hpp"
#include "workflows/driver/terminal/exit_code.hpp"
#include <functional>

namespace weft::driver {
struct DriverCommand {
    const char* name;
    const char* about;
    std::vector<OptionGroup> takes;  // in the order of its help
    std::function<ExitCode(const Choices&)> act;
    const char* examples = nullptr;  // at the end of its help, or null
    const char* alias = nullptr;     // another name, or null
    /// Whether the help of an action, such as "add", shows this option; null: the command has no actions.
    bool (*shows)(std::string_view action, const Option&) = nullptr;
};

std::vector<DriverCommand> agent_commands();
/// Whether an agent command has this name.
bool is_agent(std::string_view command);
/// Adapts the output settings to this agent command.
DisplayOptions show_of_agent(std::string_view command, DisplayOptions);
DriverCommand compare_command();
DriverCommand call_command();
DriverCommand run_command();
std::vector<DriverCommand> list_commands();  // list, graph, schema, tools, scripts
DriverCommand describe_command();
DriverCommand doctor_command();
DriverCommand init_command();
DriverCommand prompt_command();
DriverCommand parse_command();
DriverCommand serve_command();
DriverCommand mcp_command();
DriverCommand worker_command();
DriverCommand queue_command();
DriverCommand model_command();
DriverCommand schedule_command();
DriverCommand resume_command();
DriverCommand replay_command();
DriverCommand fork_command();
std::vector<DriverCommand> stored_run_commands();  // runs, show
std::vector<DriverCommand> inbox_commands();       // answer, signal, cancel
std::vector<DriverCommand> archive_commands();     // prune, export, import
DriverCommand man_command();
DriverCommand completion_command();
}
