// What of a run's past a prompt has room for. A dialect makes a prompt of a Situation; here the situation is cut, so
// that every dialect is bounded in the same way.
//
//     auto fitted = fit_prompt(dialect, now, 4000);
//     request.messages = fitted.messages;
//
// Left out first are the oldest questions and answers of the conversation, then the oldest turns of this run: a reply
// of the model with all that came of it, so that no call is parted from its observation. The instructions, the question
// and the last turn always stay, also where the budget is too small for them. Where something was left out stands a
// note that says how much. What a summary stands for (steps/agents/memory/past.hpp) is always left out, and the summary stands
// in its place.
//
// Tokens are estimated: a quarter of the bytes, rounded up, and 4 for the frame of each message. English has about four
// bytes in a token; other scripts and numbers take more tokens, so leave some room, for the reply too.
#pragma once
#include "steps/agents/common/events.hpp"
#include "steps/agents/react/dialect.hpp"

namespace weft::agents {
std::size_t estimate_tokens(const std::vector<models::Message>&);

/// What stands where so many parts were left out; `one` and `many` name them.
std::string left_out_note(std::size_t n, const std::string& one, const std::string& many);

struct FittedPrompt {
    std::vector<models::Message> messages;
    std::size_t exchanges = 0, turns = 0;  // that were left out, or are summarised
    std::size_t history = 0, work = 0;     // where what is kept begins: in the conversation, and in what the run did
    bool can_shorten = false;              // there is more that could be left out
    SummaryTask summary = {};              // if it is wanted, the messages ask for that, and not for the next turn
};
/// What stands where something was left out: of the conversation before what is left of it, of this run after the
/// question, where its turns begin. A summary stands for `told` exchanges and `done` turns.
struct PastNotes {
    std::string before, after;
};
PastNotes notes_for(const PastSummary&, std::size_t told, std::size_t done, const FittedPrompt&);
/// A summary as it stands in a prompt: marked as what it is, each of its lines too.
std::string summary_passage(const PastSummary&, std::size_t exchanges, std::size_t turns);
/// The longest prompt of at most so many tokens; of the shortest there is, if all are longer. 0: no bound.
FittedPrompt fit_prompt(const Dialect&, const Situation&, std::size_t tokens, const PastSummary& = {});
}
