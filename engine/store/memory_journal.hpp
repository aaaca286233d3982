// A journal in memory, for tests: keeps every tick, can hold back its acknowledgement, and can refuse.
//
//     MemoryJournal journal;
//     Loop loop(io.get_executor(), {.journal = &journal});
//     ...
//     CHECK(journal.runs() == std::vector{run.id()});
#pragma once
#include "engine/journal.hpp"
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace weft {
class MemoryJournal : public Journal {
public:
    struct Entry {
        core::Tick::Kind kind;
        std::uint8_t fan_out;
        bool retry;
        Cause cause;
        core::Handle token;
        QuestionId question;
        std::vector<core::Emitted> events;
        std::vector<std::string> event_names, slots;  // what was emitted; what the step has edited
    };
    void append(const Record&, Stored) override;
    std::vector<Entry> ticks(const std::string& run) const;
    std::vector<std::string> runs() const;  // in the order of their first ticks
    /// The state that the ticks of a run lead to; the same as that of the live run.
    core::State fold(const std::string& run) const;

    /// From now on ticks are acknowledged by acknowledge() only, as a slow disk would.
    void hold() {
        std::lock_guard lock(mutex_);
        holding_ = true;
    }
    /// Acknowledges the oldest n ticks that are held. Returns how many there were.
    std::size_t acknowledge(std::size_t n = ~std::size_t{0}, std::exception_ptr error = nullptr);
    /// The n-th append from now throws; 0 is the next one.
    void fail_after(std::size_t n) {
        std::lock_guard lock(mutex_);
        fail_in_ = long(n);
    }

private:
    struct Run {
        const core::Plan* plan;
        std::shared_ptr<const core::Definition> definition;
        std::vector<Entry> ticks;
    };
    mutable std::mutex mutex_;  // loops share it
    std::map<std::string, Run> runs_;
    std::vector<std::string> order_;
    std::deque<Stored> held_;
    bool holding_ = false;
    long fail_in_ = -1;
};
}
