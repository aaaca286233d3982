// The past of a run that has no room in its prompt: it is left out (steps/agents/common/fitted_prompt.hpp), or, with
// ReactOptions::summarise, the model is asked for a summary of it, which from then on stands in its place.
//
//     auto fitted = fit_past(ctx, options, {fit, tell_work});
//     if (fitted.summary.wanted()) ... summarise_past(ctx, fitted.messages, fitted.summary, model, options, memory)
//
// The oldest part is summarised, and so much of it that the prompt has some room again: else every turn would need a
// summary. What came last stays as it is. A summary that has no room any more is summarised together with what came
// after it. A summary of nothing but the conversation is kept for its later runs (Memory::summaries()). The request is
// like any other: it counts in the budget and keeps to the bound of tokens itself, by leaving out what is longest and
// oldest, with a note. A summary that is longer than a quarter of the bound or a thousand tokens is cut; one of an
// earlier run that is too long is dropped. If the request fails, or its result is much too long, a WarningEvent says
// so, the run asks for no other summary, and what has no room is left out, with a note. The same holds in a closing
// turn, if the budget has no room for the request, and if a summary would not help, because the rest has little room
// itself.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/agents/common/options.hpp"
#include "steps/agents/memory/memory.hpp"
#include <functional>

namespace weft::agents {
/// How an agent makes a prompt of its past, and how it describes the steps of its run between two places.
struct Past {
    std::function<FittedPrompt(std::size_t tokens, const PastSummary&)> fit;
    std::function<std::vector<std::string>(std::size_t from, std::size_t to)> tell_work;
};
/// The prompt of the next turn, or the request for a summary. `begun`: this turn has had its summary.
FittedPrompt fit_past(Context&, const ReactOptions&, const Past&, bool begun);
/// Whether this turn has begun with a summary and goes on; true only once for each summary. If that has left too
/// little of the budget, the turn goes on as the closing one.
bool goes_on(Context&, const ReactOptions&);
/// Asks for the summary, and writes it down.
awaitable<void> summarise_past(Context&, std::vector<models::Message> messages, SummaryTask, models::ChatModel&,
                               const ReactOptions&, Memory&);
/// An entry of what is summarised: a label, and a text whose further lines are indented, so that it cannot look like
/// another entry. Empty if the text is.
std::string past_entry(std::string_view label, std::string_view text);
}
