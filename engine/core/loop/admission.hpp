// Limits the concurrent runs of an engine, and of each workflow in it. Further runs wait, first in, first out; a
// workflow without room does not delay runs of others. Child runs are not counted: they are part of an admitted run.
// The loops of an engine share this object.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace weft::core {
class Admission {
public:
    /// `most` 0: no limit.
    explicit Admission(std::uint32_t most) : most_(most) {}
    /// Whether a limit applies to this workflow. Without a limit nothing is counted.
    bool limits(const Definition& d) const { return most_ || d.most_runs; }

    // Called on the loop of the run:
    bool enter(RunCore&);  // true: begin now; false: the run waits, and begins through its mailbox
    void leave(RunCore&);  // the run has ended, also while it waited
    /// The engine is being destroyed: no waiting run begins any more.
    void close();
    /// The number of waiting runs.
    std::size_t queued() const;

private:
    struct WorkflowQueue {  // for one workflow
        std::uint32_t most = 0, running = 0;
        std::map<std::uint64_t, CoreRef> waiting;  // by ticket
        std::uint64_t next = 0;                    // the line's ticket in `next_`; 0: not in `next_`
    };
    using Key = std::tuple<const void*, std::string, std::uint32_t>;  // the workflow's type, name and limit
    static Key key_of(const Definition& d) { return {d.type, std::string(d.name), d.most_runs}; }
    bool has_room() const { return !closed_ && (most_ == 0 || running_ < most_); }
    void update(WorkflowQueue&);
    mutable std::mutex mutex_;
    const std::uint32_t most_;
    std::uint32_t running_ = 0;
    bool closed_ = false;
    std::uint64_t last_ticket_ = 0;
    std::size_t queued_ = 0;
    std::map<Key, WorkflowQueue> lines_;
    std::map<std::uint64_t, WorkflowQueue*> next_;  // the oldest run of each line with room
};
}
