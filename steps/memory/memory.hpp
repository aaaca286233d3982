// What an agent remembers of earlier runs. A resource that users may replace: by a file, a database, a summary.
//
//     ConversationMemory memory;                     // one conversation, in the process's memory
//     auto agent = react.with(model, dialect, memory, tools, options);
//
// A run reads it once, when it starts, and adds its question and answer together, once, when it has answered. So of two
// runs at once neither sees half of the other. Implementations are thread-safe, and do not block for long.
#pragma once
#include "steps/llm/chat_model.hpp"
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace weft::steps {
struct Exchange {
    std::string question, answer;
};

class Memory {
public:
    virtual ~Memory() = default;
    /// What was said before, the oldest first, as the model is to see it.
    virtual std::vector<llm::Message> read() = 0;
    /// Adds what a run has said. The same run again changes nothing: a step may be done twice. No id: always adds.
    virtual void append(const std::string& run, Exchange) = 0;
};

/// Keeps the last exchanges: at most so many, and of at most so many bytes together (but always the last one).
class ConversationMemory final : public Memory {
public:
    explicit ConversationMemory(std::size_t max_exchanges = 100, std::size_t max_bytes = 256 << 10)
        : max_exchanges_(max_exchanges), max_bytes_(max_bytes) {}
    std::vector<llm::Message> read() override;
    void append(const std::string& run, Exchange) override;

private:
    struct Entry {
        std::string run;
        Exchange exchange;
        std::size_t bytes() const { return exchange.question.size() + exchange.answer.size(); }
    };
    std::mutex mutex_;
    std::deque<Entry> entries_;
    const std::size_t max_exchanges_, max_bytes_;
    std::size_t bytes_ = 0;
};

/// A memory that stays empty: every run is the first one.
Memory& no_memory();
}
