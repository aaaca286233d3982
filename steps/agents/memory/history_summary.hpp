// The part of a run's past that has no room in its prompt: it is left out (steps/agents/common/fitted_prompt.hpp), or,
// with ReactOptions::summarise, replaced by the model's summary from then on.
//
//     auto fitted = fit_past(ctx, options, {fit, tell_work});
//     if (fitted.summary.wanted()) ... summarise_past(ctx, fitted.messages, fitted.summary, model, options, memory)
//
// A summary replaces the oldest part of the past, and enough of it to leave some room: else every turn would need
// another summary. The latest part stays as it is. A summary without room is summarised again, together with the part
// after it. A summary of only the conversation is kept for later runs (Memory::summaries()). The request counts in the
// budget like any other, and keeps to the bound of tokens: it cuts the longest entries, and leaves out the oldest, with
// a note. A summary longer than a quarter of the bound or a thousand tokens is cut; one of an earlier run is dropped
// instead. If the request fails, or the summary is much too long, the run streams a WarningEvent, asks for no other
// summary, and leaves the part out, with a note. It does the same without a warning in a closing turn, if the budget
// has no room for the request, and if the rest is so long that a summary would not help.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/agents/common/options.hpp"
#include "steps/agents/memory/memory.hpp"
#include <functional>

namespace weft::agents {
/// An agent's functions that make a prompt of its past, and describe the steps of its run from `from` up to `to`.
struct HistoryPrompt {
    std::function<FittedPrompt(std::size_t tokens, const PastSummary&)> fit;
    std::function<std::vector<std::string>(std::size_t from, std::size_t to)> tell_work;
};
/// The prompt of the next turn, or the request for a summary. `begun`: this turn already had its summary.
FittedPrompt fit_past(Context&, const ReactOptions&, const HistoryPrompt&, bool begun);
/// True if this turn began with a summary and now continues; true only once for each summary. If the summary left too
/// little of the budget, the turn becomes the closing one.
bool goes_on(Context&, const ReactOptions&);
/// Asks for the summary, and stores it in PastSummary.
awaitable<void> summarise_past(Context&, std::vector<models::Message> messages, SummaryTask, models::ChatModel&,
                               const ReactOptions&, Memory&);
/// An entry in a request for a summary: a label, and a text whose further lines are indented, so that no line can look
/// like another entry. Empty if the text is empty.
std::string past_entry(std::string_view label, std::string_view text);
}
