// A scope belongs to a chain of awaitables: the executor of its operations, its clock, and its cancellation. A step's
// attempt, a spawned awaitable and the work under a timeout each have a scope.
#pragma once
#include "engine/clock.hpp"
#include "engine/core/wait/pending_wait.hpp"

namespace weft::core {
class Scope {
public:
    explicit Scope(const Runtime& runtime) noexcept : runtime_(&runtime) {}
    Scope(const Scope&) = delete;
    const Runtime& runtime() const noexcept { return *runtime_; }
    const asio::any_io_executor& executor() const noexcept { return runtime_->executor; }
    Clock& clock() const noexcept { return *runtime_->clock; }

    bool cancelled() const noexcept { return cancelled_; }
    /// Cancels the pending operation; the await throws operation_aborted.
    void cancel() {
        cancelled_ = true;
        if (wait_) wait_->cancel_wait();
    }

    /// Every wait calls this before it begins. In a cancelled scope the first wait throws operation_aborted, so that
    /// the code can clean up. For a second wait this returns false: the wait suspends and calls abandoned(), which
    /// destroys the coroutine there. Else a loop that catches and retries would never end.
    bool may_wait() {
        if (!cancelled_) [[likely]]
            return true;
        refuse();
        return false;
    }
    void begins(PendingWait& wait) noexcept { wait_ = &wait; }
    void forget() noexcept { wait_ = nullptr; }  // the wait is destroyed before its end
    void ended() noexcept { wait_ = nullptr; }   // the wait is over and must not be cancelled
    void mark_cancellation_delivered() noexcept { delivered_ = cancelled_; }  // a wait throws
    virtual void abandoned() = 0;  // destroy the coroutine, after this call; report operation_aborted
    virtual void orphaned() = 0;   // the awaited operation was destroyed and never completes: the context shuts down
    virtual bool may_begin() const { return true; }           // visible effects; false while the lease is in doubt
    virtual Scope* outer() const { return nullptr; }          // the scope that waits for this one without a limit
    virtual bool is_one_of_several() const { return false; }  // a concurrent part (engine/all.hpp)
    virtual bool has_a_time_limit() const { return false; }   // its own (engine/timeout.hpp)

protected:
    ~Scope() = default;

private:
    void refuse();
    const Runtime* runtime_;
    PendingWait* wait_ = nullptr;  // a chain of awaitables has one pending wait at a time
    bool cancelled_ = false;
    bool delivered_ = false;  // the cancellation was delivered to the code
};
/// A wait in a scope. The derived class begins it, unless the scope does not allow it.
class ScopedWait : protected PendingWait {
public:
    explicit ScopedWait(Scope* scope) : scope_(scope) {}
    bool await_ready() {
        allowed_ = scope_->may_wait();
        return false;
    }

protected:
    ~ScopedWait() = default;
    Scope* scope_;
    std::coroutine_handle<> waiting_;
    bool allowed_ = true;  // false: await_suspend() calls abandoned()
};
/// A wait that never suspends, but throws if cancelled. Returns the scope of the awaiting coroutine.
struct checkpoint {};
class Checkpoint {
public:
    explicit Checkpoint(Scope* scope) : scope_(scope) {}
    bool await_ready() { return scope_->may_wait(); }
    void await_suspend(std::coroutine_handle<>) { scope_->abandoned(); }
    Scope* await_resume() { return scope_; }

private:
    Scope* scope_;
};
inline Checkpoint bridge(Scope* scope, checkpoint) { return Checkpoint(scope); }
}
