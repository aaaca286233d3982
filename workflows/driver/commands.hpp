// The commands of the driver, one file each. A command lists its options, and has a function that acts on their values.
#pragma once
#include "workflows/driver/options.hpp"
#include "workflows/driver/terminal/exit_code.hpp"
#include <functional>

namespace weft::driver {
struct Command {
    const char* name;
    const char* alias;  // another name, or null
    const char* about;
    std::vector<Group> takes;  // in the order of its help
    const char* examples;      // at the end of its help, or null
    std::function<ExitCode(const Choices&)> act;
};

std::vector<Command> agent_commands();
/// Whether an agent command has this name.
bool is_agent(std::string_view command);
/// Adapts the output settings to this agent command.
Show show_of_agent(std::string_view command, Show);
Command compare_command();
Command call_command();
Command run_command();
std::vector<Command> list_commands();  // list, graph, schema, tools, scripts
Command describe_command();
Command prompt_command();
Command parse_command();
Command serve_command();
Command mcp_command();
Command worker_command();
Command queue_command();
Command resume_command();
Command replay_command();
Command fork_command();
std::vector<Command> stored_run_commands();  // runs, show
std::vector<Command> inbox_commands();       // answer, cancel
std::vector<Command> archive_commands();     // prune, export, import
}
