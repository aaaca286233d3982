// A sleeping attempt in memory reads the wall clock again from time to time, because that clock jumps, and the
// monotonic one stands still while the machine is suspended.
#include "engine/core/sleep.hpp"
#include "engine/core/loop/attempt.hpp"
#include "engine/core/loop/run_extras.hpp"
#include <algorithm>

namespace weft::core {
WallSleep::~WallSleep() {
    unlink();
    if (alarm_) scope_->forget();
}
void WallSleep::await_suspend(std::coroutine_handle<> h) {
    if (!allowed_) return scope_->abandoned();
    waiting_ = h;
    const auto look = [this] {
        if (!aborted_ && scope_->clock().wall() < until_) return wait();
        unlink();
        scope_->ended();
        alarm_.reset();
        waiting_.resume();
    };
    alarm_ = scope_->clock().make_alarm(scope_->executor(), look, [this] { scope_->orphaned(); });
    scope_->begins(*this);
    // Under a time limit the attempt counts as busy: the limit begins anew when the run comes back into memory.
    attempt_ = attempt_around(scope_);
    auto* extras = attempt_ ? attempt_->run.extras : nullptr;
    if (extras && !attempt_->run.definition->steps[attempt_->step].policy.timeout.count()) link(extras->sleeps);
    wait();
}
void WallSleep::wait() {
    const auto& clock = scope_->clock();
    const auto look = std::chrono::floor<WallTime::duration>(clock.between_looks());
    alarm_->set(clock.after(std::min(until_ - clock.wall(), look)));
}
void WallSleep::cancel_wait() {
    aborted_ = true;
    unlink();  // from now on the attempt is at work
    alarm_->set(Clock::Time::min());
}
void WallSleep::await_resume() {
    if (!aborted_) return;
    scope_->mark_cancellation_delivered();
    throw_aborted();
}
}
