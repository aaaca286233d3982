// A prompt that was cut to a size, with notes about what was left out. Each agent cuts its own prompts; their estimated
// size, and the words of the notes, are the same for all.
//
// Tokens are estimated: a quarter of the bytes, rounded up, and 4 for the frame of each message. English has about four
// bytes in a token; other scripts and numbers take more tokens, so leave some room, for the reply too.
#pragma once
#include "steps/agents/common/events.hpp"

namespace weft::agents {
std::size_t estimate_tokens(const std::vector<models::Message>&);
std::size_t estimate_tool_tokens(const std::vector<models::ToolSpec>&);

/// How many of the messages begin the prompt of the next turn, too: ChatRequest::kept. The last one does not where it
/// grows, or where the run closes.
std::size_t kept_messages(const std::vector<models::Message>&, bool closing);

/// The note in place of so many parts that were left out; `one` and `many` name them.
std::string left_out_note(std::size_t n, const std::string& one, const std::string& many);

struct FittedPrompt {
    std::vector<models::Message> messages;
    std::size_t exchanges = 0, turns = 0;  // that were left out, or are summarised
    std::size_t history = 0, work = 0;     // where what is kept begins: in the conversation, and in what the run did
    bool can_shorten = false;              // there is more that could be left out
    SummaryTask summary = {};              // if it is wanted, the messages ask for that, and not for the next turn
};
/// The notes in place of what was left out: `before` what is left of the conversation, and `after` the question, where
/// the turns of this run begin. A summary covers `told` exchanges and `done` turns.
struct PastNotes {
    std::string before, after;
};
PastNotes notes_for(const PastSummary&, std::size_t told, std::size_t done, const FittedPrompt&);
/// A summary as it stands in a prompt: marked as what it is, each of its lines too.
std::string summary_passage(const PastSummary&, std::size_t exchanges, std::size_t turns);
}
