// Wraps the text of --help to the width of a terminal, with explanations in their column.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::driver {
/// Fills paragraphs. Wraps a line of two columns within the second one, and a long command by backslashes, as a shell
/// reads it.
std::string in_columns(std::string_view help, std::size_t columns);
}
