// A memory that outlives the process: a file of questions and answers, in the format of
// steps/agents/memory/trace_file.hpp.
//
//     Pool pool;
//     MemoryFile memory(pool, "memory.json");
//     auto agent = react.with(model, dialect, memory, tools, options);
//
// The constructor reads the file, and throws for a faulty one. Each run that has answered adds to the file, on the
// pool. A failed save is a WarningEvent: the run still gives its answer, and the next save writes both. A run that was
// killed after its save finds its mark in the file when it resumes, and adds nothing twice. Several processes may use
// one file: each sees the others' exchanges after its own next save. The memory forgets exchanges that a user deletes
// from the file.
//
// Bounds: a prompt gets a few exchanges, the latest and those that share words with the question
// (steps/agents/memory/relevance.hpp). A text longer than 16 KB is cut, with a mark. A save removes the oldest
// exchanges beyond the limits. Serves all runs on all threads. The pool must outlive the memory.
#pragma once
#include "steps/agents/memory/memory.hpp"
#include "steps/agents/memory/relevance.hpp"
#include "steps/agents/memory/trace_file.hpp"

namespace weft {
class Pool;
}
namespace weft::agents {
struct MemoryFileLimits {
    std::size_t shown = 10, latest = 3;  // exchanges in a prompt; the latest ones among them, on any subject
    std::size_t shown_bytes = 32 << 10;  // their maximum bytes; the last exchange is always shown
    std::size_t stored = 1000, stored_bytes = 4 << 20;
    std::chrono::milliseconds wait{5000};  // maximum wait for another process's save
};

class MemoryFile final : public Memory {
public:
    /// Throws Error{configuration} that names the file and the cure.
    MemoryFile(Pool&, const std::string& path, MemoryFileLimits limits = {});
    std::vector<models::Message> read(std::string_view question) override;
    void append(const std::string& run, Exchange) override;
    awaitable<void> save() override;

private:
    struct Entry {
        Exchange exchange;
        WordCounts words;
        std::uint64_t number;  // 0: saved
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
    std::vector<Entry> entries_;  // the oldest first; unsaved ones at the end
    std::uint64_t appended_ = 0;
    std::deque<std::string> runs_;
};
}
