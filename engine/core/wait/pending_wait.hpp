// What a scope cancels. Apart from it, as headers that know nothing of Asio need it too.
#pragma once
#include <coroutine>
#include <exception>

namespace weft::core {
/// Something that a coroutine waits for, as its scope sees it.
class PendingWait {
public:
    virtual void cancel_wait() = 0;  // end soon; the await then throws operation_aborted

protected:
    ~PendingWait() = default;
};
class Scope;
/// The scope of the coroutine that awaits this.
struct awaiting_scope {};
struct AwaitingScope {
    Scope* scope;
    bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    Scope* await_resume() const noexcept { return scope; }
};
inline AwaitingScope bridge(Scope* scope, awaiting_scope) { return {scope}; }
/// Throws Error{usage}: `what`, such as "ctx.once", records something that is known by its order.
[[noreturn]] void refuse_within_all(const char* what);
/// What a cancelled wait throws: system_error(operation_aborted).
std::exception_ptr aborted();
[[noreturn]] void throw_aborted();
}
