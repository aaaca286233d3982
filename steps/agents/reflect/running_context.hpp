// The past of a run as text for the model: each entry begins with a label, and its further lines are indented, so that
// no line of a tool's result looks like an entry.
//
//     REFLECTION >> I look at the tables first.
//     ACTION >> list_sql_tables
//     OBSERVATION >> ['AGENTS', 'CUSTOMER', 'ORDERS']
//
// The text begins with the background from before the run, and has no colours. If it is too long, the oldest entries
// are shortened first and then left out, with notes. The last turn stays, if necessary with shortened entries: this is
// the shortest context.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/reflect/turns.hpp"
#include <string>

namespace weft::agents::inline reflect_steps {
/// Empty without a past. Leaves out the answers to sub-questions of the call `without`.
std::string running_context(const Context&, std::size_t max_bytes, std::string_view without = {});
/// The same with the notes on the budget, and the ends of the entries that stay unchanged in the next turn; a shortened
/// context has none.
struct GrowingContext {
    std::string text;
    std::vector<std::size_t> ends;
};
GrowingContext growing_context(const Context&, std::size_t max_bytes);
/// A single entry: a label, and a text of one or more lines.
std::string context_entry(std::string_view label, std::string_view text);
/// The memory's exchanges as the beginning of a context.
std::string remembered(const std::vector<models::Message>& history);
}
