// cancel() never ends a wait directly: the alarm rings immediately, in a separate turn, because cancel() may run in the
// middle of a list that the end of the wait would change.
#include "engine/timeout.hpp"
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace weft {
awaitable<void> until_may_begin() {
    constexpr auto between_looks = std::chrono::milliseconds(50);
    while (!co_await may_begin()) co_await sleep_for(between_looks);
}
namespace core {
bool is_aborted(const std::exception_ptr& error) {
    if (!error) return false;
    try {
        std::rethrow_exception(error);
    } catch (const boost::system::system_error& e) { return e.code() == asio::error::operation_aborted; } catch (...) {
        return false;
    }
}

Sleep::~Sleep() {
    if (alarm_) scope_->forget();
}
void Sleep::await_suspend(std::coroutine_handle<> h) {
    if (!allowed_) return scope_->abandoned();
    waiting_ = h;
    auto ring = [this] {
        scope_->ended();
        alarm_.reset();
        waiting_.resume();
    };
    alarm_ = scope_->clock().make_alarm(scope_->executor(), ring, [this] { scope_->orphaned(); });
    scope_->begins(*this);
    alarm_->set(scope_->clock().after(duration_));
}
void Sleep::cancel_wait() {
    aborted_ = true;
    alarm_->set(Clock::Time::min());  // rings in a separate turn, not inside cancel()
}
void Sleep::await_resume() {
    if (!aborted_) return;
    scope_->mark_cancellation_delivered();
    throw_aborted();
}

void TimeoutScope::set_limit() {
    alarm_ = clock().make_alarm(executor(), [this] {
        rang_ = true;
        cancel();
    });
    alarm_->set(clock().after(limit_));
}
void TimeoutScope::finish(const std::exception_ptr& error) {
    alarm_.reset();
    if (error) parent_->mark_cancellation_delivered();
    if (rang_ && (abandoned_ || is_aborted(error)))
        throw Error(Code::timed_out, "no result within " + in_seconds(limit_));
}
}
}
