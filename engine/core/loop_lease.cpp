// What a loop does about its engine's lease: in the last third of it nothing begins; when it is over, all stored runs
// are removed from memory, and nothing is written into the store, where they may have another owner. Also how stored
// runs are given back before the engine ends: each as soon as none of its steps is running.
#include "engine/core/lease.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/wait/pending_wait.hpp"
#include "engine/error.hpp"
#include <algorithm>

namespace weft::core {
using durability::Input;
namespace {
bool is_stored_root(const RunCore& run) { return run.extras && run.extras->track && run.extras->track->path.empty(); }
/// Of the run, or of the stored one that it is a child of; null: nothing of it is stored.
RunLog* log_of(const RunCore& run) {
    const auto* stored = &run;
    while (stored && !(stored->extras && stored->extras->track))
        stored = stored->extras ? stored->extras->parent : nullptr;
    return stored ? stored->extras->track->log.get() : nullptr;
}
/// Whether its steps do nothing but wait for child runs, and the same is true of these.
bool is_still(const RunLog& log, const RunCore& run) {
    std::uint32_t waits = 0;
    for (const auto* other : log.family) {
        if (other == &run || other->extras->parent != &run) continue;
        if (!is_still(log, *other)) return false;
        waits += other->extras->awaited;
    }
    return run.waiting <= waits;
}
}
bool Loop::is_in_doubt(const RunLog& log) const { return !is_over(log.state) && !lease_->may_begin(log.term); }
bool Loop::is_in_doubt(const RunCore& run) const {
    const auto* log = log_of(run);
    return log && is_in_doubt(*log);
}
void Loop::watch_lease() {
    if (!lease_->is_limited() || lease_timer_.is_set() || closing_) return;
    lease_timer_.loop = this;
    lease_timer_.ring = [](Timer& t) { static_cast<LeaseTimer&>(t).loop->drop_lapsed(); };
    timers_.set(lease_timer_, runtime_.clock->after(std::max<Duration>(lease_->left(), std::chrono::milliseconds(1))));
}
void Loop::drop_lapsed() {
    bool any = false;
    if (const auto term = lease_->term().number; lease_->is_over(term)) lease_->begin_anew(term);
    for (auto* run = runs_; run; run = run->next) {
        if (!is_stored_root(*run)) continue;
        auto& log = *run->extras->track->log;
        if (is_over(log.state)) continue;
        if (!lease_->is_over(log.term)) {
            any = true;
            continue;
        }
        apply(log, {Input::lapsed});
    }
    if (any) watch_lease();
}
void Loop::lease_renewed() {
    for (auto* run = runs_; run; run = run->next)
        if (is_stored_root(*run)) go_on(*run->extras->track->log);
}
// The caller cannot wait for the next heartbeat, so the run is removed from memory.
void Loop::demand_lease(RunCore& run) {
    auto* stored = log_of(run);
    if (!stored) return;
    auto& log = *stored;
    if (is_over(log.state))
        throw_aborted();  // its steps are cancelled in a later turn; this one was resumed before that
    if (!is_in_doubt(log)) return;
    apply(log, {Input::doubted});
    throw_aborted();
}

void Loop::drain(std::function<void()> drained) {
    drained_ = std::move(drained);
    leave_still();
}
void Loop::leave_still() {
    if (!drained_) return;
    for (auto* run = runs_; run;) {
        auto* next = run->next;
        if (is_stored_root(*run)) {
            auto& log = *run->extras->track->log;
            const auto commands = decide(log.state, {Input::drain});
            if (commands.contains(durability::Command::leave_or_park) && run->state.status == RunStatus::running &&
                is_still(log, *run))
                leave_or_park(*run);
        }
        run = next;
    }
    tell_if_drained();
}
void Loop::tell_if_drained() {
    for (auto* run = runs_; run; run = run->next)
        if (is_stored_root(*run)) return;
    const auto tell = std::exchange(drained_, [] {});
    tell();
}
void Loop::leave_or_park(RunCore& run) {
    if (!run.idle() || !park(run)) leave(run);
}
void Loop::leave_all() {
    for (auto* run = runs_; run; run = run->next)
        if (is_stored_root(*run) && run->state.status == RunStatus::running) leave(*run);
}
}
