// What an agent remembers of earlier runs. A resource that users may replace: by a file, a database, a summary.
//
//     ConversationMemory memory;                     // one conversation, in the process's memory
//     auto agent = react.with(model, dialect, memory, tools, options);
//
// A run reads it once, when it starts, and adds its question and answer together, once, when it has answered
// (steps/agents/memory/remember.hpp). So of two runs at once neither sees half of the other. Implementations are
// thread-safe. read and append are called on a loop and do not wait for anything; what waits, such as a disk, belongs
// into save.
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
struct Exchange {
    std::string question, answer;
};

class Memory {
public:
    virtual ~Memory() = default;
    /// What was said before and may matter for this question, the oldest first, as the model is to see it: questions,
    /// each with its answer after it.
    virtual std::vector<models::Message> read(std::string_view question) = 0;
    /// Adds what a run has said. The same run again changes nothing: a step may be done twice. No id: always adds.
    virtual void append(const std::string& run, Exchange) = 0;
    /// Stores what was appended, if the memory is to outlive the process. On failure it throws an Error with the
    /// reason; nothing is lost, and the next call tries again.
    virtual awaitable<void> save() { co_return; }
    /// What runs have summarised of it, where they do that (steps/agents/memory/past.hpp).
    Summaries& summaries() { return summaries_; }

private:
    Summaries summaries_;
};

/// Keeps the last exchanges: at most so many, and of at most so many bytes together (but always the last one).
class ConversationMemory final : public Memory {
public:
    explicit ConversationMemory(std::size_t max_exchanges = 100, std::size_t max_bytes = 256 << 10)
        : max_exchanges_(max_exchanges), max_bytes_(max_bytes) {}
    std::vector<models::Message> read(std::string_view question) override;  // all of it, whatever is asked
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

/// A memory that stays empty: every run is the first one.
Memory& no_memory();

/// What was read from a memory as one text, for prompts that have no turns: two sentences, then QUESTION: and ANSWER:
/// lines. It ends with a line break; empty if there is nothing.
std::string recollection(const std::vector<models::Message>&);
}
