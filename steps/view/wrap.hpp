// Wraps text into lines of limited width, for terminals.
//
//     for (const auto& line : wrap(neutralise(text), {.columns = 96, .first = 80})) ...
//
// Line breaks stay. A long line is broken at a blank if possible, and continues with the same indentation; words longer
// than a line are cut between characters. Columns are counted as in a terminal: wide characters take two, combining
// ones none, a tab extends to the next multiple of eight.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::view {
struct Columns {
    std::size_t columns = 100;
    std::size_t first = columns;  // width of the first line, which follows other text
};
std::vector<std::string> wrap(std::string_view text, Columns);
/// Returns the number of terminal columns of a text without line breaks.
std::size_t columns_of(std::string_view line);
}
