// Pauses for stored runs that an engine claims and then refuses, because its declaration does not fit. Such a run is
// ready again immediately. Without a pause each heartbeat would claim it: that burdens the store and reports the error
// each time.
//
//     claim.except = pauses.begin(clock.since_boot());    // once for each call of claim()
//     pauses.claimed(row);                                // each claimed row
//
// A run without a step since its last claim gets a second try immediately, and then pauses of 10 seconds to about 5
// minutes. It is forgotten 10 seconds after its last claim or pause, because it then continues elsewhere or has ended.
// Pure; not thread-safe.
#pragma once
#include "engine/clock.hpp"
#include "engine/retry.hpp"
#include "engine/store.hpp"
#include <map>

namespace weft {
class ClaimPauses {
public:
    /// Begins a round at this time. Returns the ids of paused runs.
    std::vector<std::string> begin(Duration now) {
        now_ = now;
        std::erase_if(runs_, [&](const auto& one) { return one.second.until + pause.first < now; });
        std::vector<std::string> paused;
        for (auto& [id, run] : runs_)
            if (run.until > now) paused.push_back(id);
        return paused;
    }
    void claimed(const storage::RunRow& row) {
        auto& run = runs_[row.id];
        if (run.claims == 0 || run.next_seq != row.next_seq) run = {.next_seq = row.next_seq};
        ++run.claims;
        run.until = run.claims == 1 ? now_ : now_ + pause.before_retry(run.claims - 1);
    }
    /// A changed declaration may accept refused runs.
    void forget() { runs_.clear(); }

private:
    static constexpr Wait pause{std::chrono::seconds(10), std::chrono::seconds(320), 2};
    struct ClaimCount {
        std::uint64_t next_seq = 0;
        unsigned claims = 0;  // claims in a row without a step
        Duration until{};
    };
    std::map<std::string, ClaimCount> runs_;
    Duration now_{};
};
}
