// A memory that outlives the process: a file of questions and answers (steps/agents/memory/trace_file.hpp says how it
// looks).
//
//     Pool pool;
//     MemoryFile memory(pool, "memory.json");
//     auto agent = react.with(model, dialect, memory, tools, options);
//
// The constructor reads the file; what is wrong with it is thrown there. Each run that has answered adds to it, on the
// pool; a save that fails is a WarningEvent: the answer is given all the same, and the next save writes both. A run
// that was killed behind its save finds its mark in the file when it goes on, and adds nothing twice. The file decides:
// several processes may use one, each sees with its next save what the others have added, and what a user deletes from
// it is forgotten.
//
// Bounded: a prompt is given a few exchanges, the latest and those that share words with the question
// (steps/agents/memory/relevance.hpp); a text longer than 16 KB is cut, with a mark; of the file, the oldest exchanges
// go first, with the next save. Serves all runs on all threads. The pool outlives it.
#pragma once
#include "steps/agents/memory/memory.hpp"
#include "steps/agents/memory/relevance.hpp"
#include "steps/agents/memory/trace_file.hpp"

namespace weft {
class Pool;
}
namespace weft::agents {
struct MemoryFileLimits {
    std::size_t shown = 10, latest = 3;  // exchanges for a prompt; of these the latest, whatever they are about
    std::size_t shown_bytes = 32 << 10;  // of these together, but always the last one
    std::size_t stored = 1000, stored_bytes = 4 << 20;
    std::chrono::milliseconds wait{5000};  // for another process that is writing
};

class MemoryFile final : public Memory {
public:
    /// Throws Error{configuration} that names file and cure.
    MemoryFile(Pool&, const std::string& path, MemoryFileLimits limits = {});
    std::vector<models::Message> read(std::string_view question) override;
    void append(const std::string& run, Exchange) override;
    awaitable<void> save() override;

private:
    struct Entry {
        Exchange exchange;
        WordCounts words;
        std::uint64_t number;  // 0: it stands in the file
        std::string mark;      // the adding run's
    };
    static Entry make_entry(Exchange, std::uint64_t number = 0);
    std::vector<std::size_t> choose(std::string_view question) const;
    static void add(TraceContent& all, const TraceContent& added);
    void trim(std::vector<Exchange>&) const;
    void write(const std::stop_token&);
    Pool& pool_;
    const TraceFile file_;
    const MemoryFileLimits limits_;
    std::mutex writing_;          // one writer of this process at a time
    std::mutex mutex_;            // guards the members below
    std::vector<Entry> entries_;  // the oldest first; those that are not saved stand at the end
    std::uint64_t appended_ = 0;
    std::deque<std::string> runs_;
};
}
