// Summaries of the beginning of a conversation, for its later runs: what has been summarised once is not summarised
// again with every question. Every Memory has them (steps/agents/memory/memory.hpp); they are of one conversation.
//
//     memory.summaries().keep(messages, "They asked for the orders of 2024: 34.");
//     if (auto found = memory.summaries().find(history)) ...    // it stands for the first found->messages of them
//
// In the memory of the process; the oldest are forgotten. Thread-safe.
#pragma once
#include "steps/models/message.hpp"
#include <deque>
#include <mutex>
#include <optional>

namespace weft::agents {
class Summaries {
public:
    explicit Summaries(std::size_t most = 4) : most_(most) {}
    struct Found {
        std::size_t messages = 0;
        std::string text;
    };
    /// The one that stands for the longest part of the history, from its beginning on. What the memory has dropped of
    /// that part meanwhile, at its front, is in the summary still.
    std::optional<Found> find(const std::vector<models::Message>& history) const;
    void keep(std::vector<models::Message> messages, std::string text);

private:
    struct Kept {
        std::vector<models::Message> messages;
        std::string text;
    };
    mutable std::mutex mutex_;
    std::deque<Kept> kept_;
    const std::size_t most_;
};
}
