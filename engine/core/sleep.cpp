// A sleeping attempt in memory reads the wall clock again from time to time, because that clock jumps, and the
// monotonic one stands still while the machine is suspended.
#include "engine/core/sleep.hpp"
#include "engine/core/lease.hpp"
#include "engine/core/loop/attempt.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include <algorithm>

namespace weft::core {
void WallSleep::await_suspend(std::coroutine_handle<> h) {
    if (!begin(h)) return;
    // Under a time limit the attempt counts as busy: the limit begins anew when the run comes back into memory.
    attempt_ = attempt_around(scope_);
    auto* extras = attempt_ ? attempt_->run.extras : nullptr;
    if (extras && extras->watch) extras->watch->sleeps(attempt_->step, attempt_->token, until_);
    if (extras && !attempt_->run.definition->steps[attempt_->step].policy.timeout.count()) link(extras->sleeps);
    wait();
}
void WallSleep::wait() {
    const auto& clock = scope_->clock();
    const auto look = std::chrono::floor<WallTime::duration>(clock.between_looks());
    alarm_->set(clock.after(std::min(until_ - date(), look)));
}
WallTime WallSleep::date() const { return date_of(attempt_ ? &attempt_->run : nullptr, scope_->clock()); }
WallTime date_of(const RunCore* run, const Clock& clock) {
    auto* loop = run && run->extras && run->extras->track ? run->loop.load() : nullptr;
    return loop ? loop->keeper().lease_of(*run).date() : clock.wall();
}
void WallSleep::ring() {
    if (!aborted_ && date() < until_) return wait();
    unlink();
    go_on();
}
void WallSleep::cancel_wait() {
    unlink();  // from now on the attempt is at work
    AlarmedWait::cancel_wait();
}
}
