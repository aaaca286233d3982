// A time limit cancels its scope, and a limit that has rung decides which error the await throws.
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
