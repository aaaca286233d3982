// A prompt cut to a size, with notes on the omitted parts. Each agent cuts its own prompts; the estimate of their size
// and the words of the notes are common to all.
//
// The estimated tokens are a quarter of the bytes, rounded up, and 4 for the frame of each message. English has about
// four bytes in a token; other scripts and numbers take more tokens, so leave some room, for the reply too.
#pragma once
#include "steps/agents/common/events.hpp"

namespace weft::agents {
std::size_t estimate_tokens(const std::vector<models::Message>&);
std::size_t estimate_tool_tokens(const std::vector<models::ToolSpec>&);

/// The number of messages that begin the next turn's prompt, too: ChatRequest::kept. The last message does not count if
/// it grows, or if the run closes.
std::size_t kept_messages(const std::vector<models::Message>&, bool closing);

/// The note in place of `n` omitted parts; `one` and `many` name them.
std::string left_out_note(std::size_t n, const std::string& one, const std::string& many);

struct FittedPrompt {
    std::vector<models::Message> messages;
    std::size_t exchanges = 0, turns = 0;  // omitted or summarised
    std::size_t history = 0, work = 0;     // first kept message of the conversation, and first kept step of the run
    bool can_shorten = false;              // more can be left out
    SummaryTask summary = {};              // if wanted, the messages ask for it and not for the next turn
};
/// The notes in place of the omitted parts: `before` the rest of the conversation, and `after` the question, where the
/// turns of this run begin. A summary covers `told` exchanges and `done` turns.
struct HistoryNotes {
    std::string before, after;
};
HistoryNotes notes_for(const PastSummary&, std::size_t told, std::size_t done, const FittedPrompt&);
/// A summary as a prompt shows it: with a heading, and a mark before each line.
std::string summary_passage(const PastSummary&, std::size_t exchanges, std::size_t turns);
}
