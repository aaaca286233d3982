// Text in lines of a limited width, for terminals.
//
//     for (const auto& line : wrap(neutralise(text), {.columns = 96, .first = 80})) ...
//
// Line breaks stay. A line that is too long is broken, at a blank if there is one, and goes on with the same
// indentation; words longer than a line are cut between characters. Columns are counted as a terminal shows them: wide
// characters take two, combining ones none, a tab goes on to the next multiple of eight.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::view {
struct Columns {
    std::size_t columns = 100;
    std::size_t first = columns;  // of the first line, which shares its line with something else
};
std::vector<std::string> wrap(std::string_view text, Columns);
/// How many columns a terminal takes for a text of one line.
std::size_t columns_of(std::string_view line);
}
