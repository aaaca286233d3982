// What changed from one text to another, line by line, as `diff -u` shows it, for messages that people read.
//
//     auto text = line_diff(lines_of(recorded), lines_of(asked));
//
// Bounded, however long the texts are: at most `lines` of them are shown, each in `columns` columns; of two long lines
// that differ, the part around the first difference. Controls are escaped.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace weft::models {
struct DiffLine {
    std::string place;  // where it stands: shown at the head of each group of lines
    std::string text;
    bool operator==(const DiffLine&) const = default;
};
struct DiffLimits {
    std::size_t context = 2, lines = 40, columns = 140;
};
/// Empty if there is no difference. Each line ends with a line break.
std::string line_diff(const std::vector<DiffLine>& old, const std::vector<DiffLine>& fresh, DiffLimits limits = {});
}
