// cancel() never ends a wait directly: the alarm rings immediately, in a separate turn, because cancel() may run in the
// middle of a list that the end of the wait would change.
#include "engine/core/wait/alarmed_wait.hpp"

namespace weft::core {
AlarmedWait::~AlarmedWait() {
    if (alarm_) scope_->forget();
}
bool AlarmedWait::begin(std::coroutine_handle<> h) {
    if (!allowed_) {
        scope_->abandoned();
        return false;
    }
    waiting_ = h;
    alarm_ = scope_->clock().make_alarm(
        scope_->executor(), [this] { ring(); }, [this] { scope_->orphaned(); });
    scope_->begins(*this);
    return true;
}
void AlarmedWait::go_on() {
    scope_->ended();
    alarm_.reset();
    waiting_.resume();
}
void AlarmedWait::cancel_wait() {
    aborted_ = true;
    alarm_->set(Clock::Time::min());
}
void AlarmedWait::await_resume() {
    if (!aborted_) return;
    scope_->mark_cancellation_delivered();
    throw_aborted();
}
}
