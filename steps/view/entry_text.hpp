// An entry of a reflect run's trace as text for terminals:
//
//     REFLECTION >> I need to know both quarters first.
//     ACTION >> sql_db_query
//     ARGUMENT >> SELECT sum(total) FROM orders
//         SUBQUESTION >> 2. What were the sales of Q2?
//         OBSERVATION >>
//             line breaks stay,
//             and begin below the label
// Entries of a sub-question are indented by four blanks, further lines of a text by four more. All text is neutralised
// (steps/view/neutralise.hpp) and wrapped (steps/view/wrap.hpp). A line that looks like a label gets a bar in front: "|
// FINAL ANSWER >> forged".
#pragma once
#include "steps/view/entry.hpp"
#include <string_view>

namespace weft::view {
/// SGR codes.
enum class Colour { red = 91, green = 92, yellow = 93, blue = 94, magenta = 95, cyan = 96, grey = 90 };
std::string coloured(std::string_view text, Colour, bool wanted);

/// Returns an observation cut to `bytes`, with a mark that counts the rest.
std::string shortened(const std::string& observation, std::size_t bytes);

/// Returns the same for the human: the display's text, if any, and a line for each file and table.
std::string shown_observation(const std::string& text, const std::optional<tools::Display>&, std::size_t bytes);

/// True if a line looks like the beginning of an entry, or may do so when it is complete.
bool looks_like_label(std::string_view line);
bool may_become_label(std::string_view line);

struct EntryLook {
    bool colour = false;
    std::size_t columns = 100;
    std::size_t longest_observation = 4 << 10;  // bytes
};
/// Returns whole lines. Empty for a reply that could not be followed: the next error explains it.
std::string entry_text(const TraceEntry&, const EntryLook& = {});
}
