// What a run has thought, done and seen so far, as text for the model: one label at the beginning of a line for each
// entry, further lines indented, so that nothing that a tool says looks like an entry.
//
//     REFLECTION >> I look at the tables first.
//     ACTION >> list_sql_tables
//     OBSERVATION >> ['AGENTS', 'CUSTOMER', 'ORDERS']
//
// It begins with what was known before the run. Plain text: no colours. When it is longer than it may be, what is
// oldest is shortened first, and then left out, and the text says so. The last turn stays, if need be with entries that
// are shortened: that is the shortest context there is.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/reflect/turns.hpp"
#include <string>

namespace weft::agents::inline reflect_steps {
/// Empty if nothing has happened. The answers to sub-questions of the call `without` are left out.
std::string running_context(const Context&, std::size_t max_bytes, std::string_view without = {});
/// The same with the notes on the budget, and where its entries end, as far as they stay as they are: of a context that
/// has been shortened none does.
struct GrowingContext {
    std::string text;
    std::vector<std::size_t> ends;
};
GrowingContext growing_context(const Context&, std::size_t max_bytes);
/// An entry of its own: a label, and a text of one line or more.
std::string context_entry(std::string_view label, std::string_view text);
/// The memory's exchanges as the beginning of a context.
std::string remembered(const std::vector<models::Message>& history);
}
