// The waits that a scope cancels. A separate header, because headers without Asio need it too.
#pragma once
#include <coroutine>
#include <exception>

namespace weft::core {
/// The pending wait of a coroutine, for its scope.
class PendingWait {
public:
    virtual void cancel_wait() = 0;  // must end soon; the await then throws operation_aborted

protected:
    ~PendingWait() = default;
};
class Scope;
/// The scope of the awaiting coroutine.
struct awaiting_scope {};
struct AwaitingScope {
    Scope* scope;
    bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    Scope* await_resume() const noexcept { return scope; }
};
inline AwaitingScope bridge(Scope* scope, awaiting_scope) { return {scope}; }
/// Throws Error{usage}: inside all(), `what`, such as "ctx.once", would have no fixed order of records.
[[noreturn]] void refuse_within_all(const char* what);
/// The exception of a cancelled wait: system_error(operation_aborted).
std::exception_ptr aborted();
[[noreturn]] void throw_aborted();
}
