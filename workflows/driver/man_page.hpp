// Writes manual pages in man(7), by the tables of commands and options, from the same texts as --help.
#pragma once
#include "workflows/driver/command_line.hpp"

namespace weft::driver {
/// The page of a command, or of the program itself.
std::string man_page(const Program&, const DriverCommand* = nullptr);
/// "weft.1", "weft-react.1"
std::string man_file(const Program&, const DriverCommand* = nullptr);
}
