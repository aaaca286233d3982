// Summaries of the beginning of a conversation, for its later runs: a summarised part is not summarised again with
// every question. Every Memory has the summaries of its conversation (steps/agents/memory/memory.hpp).
//
//     memory.summaries().keep(messages, "They asked for the orders of 2024: 34.");
//     if (auto found = memory.summaries().find(history)) ...    // it replaces the first found->messages of them
//
// They stay in the memory of the process; beyond `most`, the oldest are dropped. Thread-safe.
#pragma once
#include "steps/models/message.hpp"
#include <deque>
#include <mutex>
#include <optional>

namespace weft::agents {
class Summaries {
public:
    explicit Summaries(std::size_t most = 4) : most_(most) {}
    struct SummaryMatch {
        std::size_t messages = 0;
        std::string text;
    };
    /// The summary that replaces the longest part at the beginning of the history. It may also cover messages that the
    /// memory has dropped since then.
    std::optional<SummaryMatch> find(const std::vector<models::Message>& history) const;
    void keep(std::vector<models::Message> messages, std::string text);

private:
    struct CachedSummary {
        std::vector<models::Message> messages;
        std::string text;
    };
    mutable std::mutex mutex_;
    std::deque<CachedSummary> kept_;
    const std::size_t most_;
};
}
