// `weft man`: prints a manual page, or writes all of them for a package.
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "workflows/driver/man_page.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <filesystem>
#include <fstream>

namespace weft::driver {
namespace {
void write_page(const std::string& folder, const Program& program, const DriverCommand* command) {
    const auto path = std::filesystem::path(folder) / man_file(program, command);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << man_page(program, command);
    file.close();
    if (!file)
        throw Error(Code::configuration, path.string() + " cannot be written: give --folder a folder that can be");
}
ExitCode print_man(const Choices& choices) {
    const auto& program = weft_program();
    const DriverCommand* found = nullptr;
    for (const auto& command : program.commands)
        if (choices.topic == command.name || (command.alias && choices.topic == command.alias)) found = &command;
    if (!found && !choices.topic.empty())
        throw Error(Code::usage, "there is no command \"" + choices.topic + "\"; there are " +
                                     with_commas(program.commands, &DriverCommand::name));
    if (choices.folder.empty()) {
        say_trusted(man_page(program, found));
        return ExitCode::ok;
    }
    if (found) throw Error(Code::usage, "--folder takes all pages: leave out " + choices.topic);
    write_page(choices.folder, program, nullptr);
    for (const auto& command : program.commands) write_page(choices.folder, program, &command);
    return ExitCode::ok;
}
constexpr auto man_examples = R"(The page is in the format of man(7). An installed weft has all pages: man weft-react.

  weft man react | man -l -
  weft man --folder build/man
)";
}

DriverCommand man_command() {
    using enum OptionGroup;
    return {"man", "print the manual page of weft or of a command", {man_page}, print_man, man_examples};
}
}
