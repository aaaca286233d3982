// Compares two texts line by line, in the style of `diff -u`, for messages to people.
//
//     auto text = line_diff(lines_of(recorded), lines_of(asked));
//
// The result is bounded for texts of any length: at most 40 lines of 140 columns each; two long lines are
// cut around their first difference. Control characters are escaped.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace weft::models {
struct DiffLine {
    std::string place;  // position, shown at the head of each group of lines
    std::string text;
    bool operator==(const DiffLine&) const = default;
};
/// Returns an empty text without differences. Each line ends with a line break.
std::string line_diff(const std::vector<DiffLine>& old, const std::vector<DiffLine>& fresh);
}
