// How many runs of an engine, and of one workflow in it, may go on at once. The surplus waits, first in first out; a
// run whose workflow has no room does not hold up those of others. Child runs are not counted: they are part of a run
// that goes on. Shared by the loops of an engine.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace weft::core {
class Admission {
public:
    /// `most` 0: as many as there are.
    explicit Admission(std::uint32_t most) : most_(most) {}
    /// Whether some limit concerns this workflow. Without one nothing is counted.
    bool limits(const Definition& d) const { return most_ || d.most_runs; }

    // On the loop of the run:
    bool enter(RunCore&);  // whether it may begin now; else it waits, and is begun through its loop's mailbox
    void leave(RunCore&);  // it has ended, or does so while it waits
    /// The engine goes: no run that waits for its turn begins any more.
    void close();
    /// Runs that wait.
    std::size_t queued() const;

private:
    struct Line {  // of one workflow
        std::uint32_t most = 0, running = 0;
        std::map<std::uint64_t, CoreRef> waiting;  // by ticket
        std::uint64_t next = 0;                    // the ticket under which the line stands in `next_`; 0: it does not
    };
    using Key = std::tuple<const void*, std::string, std::uint32_t>;  // the workflow's type, name and limit
    static Key key_of(const Definition& d) { return {d.type, std::string(d.name), d.most_runs}; }
    using Lines = std::map<Key, Line>;
    bool has_room() const { return !closed_ && (most_ == 0 || running_ < most_); }
    void update(Line&);
    mutable std::mutex mutex_;
    const std::uint32_t most_;
    std::uint32_t running_ = 0;
    bool closed_ = false;
    std::uint64_t last_ticket_ = 0;
    std::size_t queued_ = 0;
    Lines lines_;
    std::map<std::uint64_t, Line*> next_;  // the oldest run of each line that has room
};
}
