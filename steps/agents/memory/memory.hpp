// An agent's memory of earlier runs. A resource that users may replace, for example by a file or a database.
//
//     ConversationMemory memory;                     // one conversation, in the process's memory
//     auto agent = react.with(model, dialect, memory, tools, options);
//
// A run reads the memory once, when it starts, and adds its question with the answer once, when it has answered
// (steps/agents/memory/remember.hpp). So a run never sees half of another run. Implementations are thread-safe. The
// loop calls read and append, which must not wait; slow work, such as a disk, belongs into save.
#pragma once
#include "engine/awaitable.hpp"
#include "steps/agents/memory/summaries.hpp"
#include "steps/models/chat_model.hpp"
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agents {
/// A question, and its answer.
struct Exchange {
    std::string question, answer;
};

class Memory {
public:
    virtual ~Memory() = default;
    /// Returns earlier exchanges that may matter for this question, the oldest first, as the model will see them:
    /// questions, each followed by its answer.
    virtual std::vector<models::Message> read(std::string_view question) = 0;
    /// Adds the exchange of a run. A second call for the same run id does nothing, because a step may run twice. An
    /// empty id always adds.
    virtual void append(const std::string& run, Exchange) = 0;
    /// Stores the appended exchanges, if the memory outlives the process. A failure throws an Error with the reason and
    /// loses nothing; the next call tries again.
    virtual awaitable<void> save() { co_return; }
    /// Summaries that runs have made of the memory (steps/agents/memory/history_summary.hpp).
    Summaries& summaries() { return summaries_; }

private:
    Summaries summaries_;
};

/// Keeps the last exchanges in the process: at most `max_exchanges` with at most `max_bytes`, but always the last one.
class ConversationMemory final : public Memory {
public:
    explicit ConversationMemory(std::size_t max_exchanges = 100, std::size_t max_bytes = 256 << 10)
        : max_exchanges_(max_exchanges), max_bytes_(max_bytes) {}
    std::vector<models::Message> read(std::string_view question) override;  // all exchanges, for any question
    void append(const std::string& run, Exchange) override;
    std::size_t bytes() const;  // sum over all exchanges

private:
    struct Entry {
        std::string run;
        Exchange exchange;
        std::size_t bytes() const { return exchange.question.size() + exchange.answer.size(); }
    };
    mutable std::mutex mutex_;
    std::deque<Entry> entries_;
    const std::size_t max_exchanges_, max_bytes_;
    std::size_t bytes_ = 0;
};

/// A memory that stays empty.
Memory& no_memory();
}
