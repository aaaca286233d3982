// The values that an option or an argument can have, by the name of its value in the table of options.
#pragma once
#include "workflows/driver/completion.hpp"

namespace weft::driver {
/// The parts of a command line on which values may depend, besides their beginning.
struct CompletedLine {
    const Program& program;
    std::string store;  // of --store; empty: the default
};
/// Adds the values of this kind that may begin with the text, and tells whether it can be a file. Values with commas
/// are lists: only the last name is completed, by names that are not in the list.
void add_values(CompletedWord&, std::string_view kind, const std::string& beginning, const CompletedLine&);
}
