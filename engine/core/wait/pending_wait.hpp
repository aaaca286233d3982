// The waits that a scope cancels. A separate header, because headers without Asio need it too.
#pragma once
#include <coroutine>
#include <exception>

namespace weft::core {
/// The pending wait of a coroutine, for its scope.
class PendingWait {
public:
    PendingWait() = default;
    PendingWait(const PendingWait&) = delete;
    virtual void cancel_wait() = 0;  // must end soon; the await then throws operation_aborted

protected:
    ~PendingWait() = default;
};
class Scope;
template <class T> struct ReadyAwaiter {
    T value;
    bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    T await_resume() const noexcept { return value; }
};
/// The scope of the awaiting coroutine.
struct awaiting_scope {};
inline auto bridge(Scope* scope, awaiting_scope) { return ReadyAwaiter<Scope*>{scope}; }
/// Throws Error{usage}: inside all(), `what`, such as "ctx.once", would have no fixed order of records.
[[noreturn]] void refuse_within_all(const char* what);
/// The exception of a cancelled wait: system_error(operation_aborted).
std::exception_ptr aborted();
[[noreturn]] void throw_aborted();
}
