// Parses a command line by the tables of commands and options.
//
//     const auto asked = read_command_line(program, argc, argv);
//     if (asked.command) exit = asked.command->act(asked.choices);
//     else say_trusted(asked.text);                                // --help, --version
#pragma once
#include "workflows/driver/commands.hpp"

namespace weft::driver {
struct Program {
    std::string name, about, version;
    std::string footer;  // at the end of its help
    std::vector<DriverCommand> commands;
};
const Program& weft_program();  // main.cpp
struct ParsedCommandLine {
    const DriverCommand* command = nullptr;  // one of the program's; null if `text` is all to print
    Choices choices;
    std::string text;
};
/// Throws Error{usage} in one sentence that names the culprit.
ParsedCommandLine read_command_line(const Program&, int argc, char** argv);
}
