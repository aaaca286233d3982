// A scope is what a chain of awaitables runs in: where its operations complete, which clock it reads, and how it is
// cancelled. A step's attempt is one, so is a spawned awaitable, and so is what a timeout guards.
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
    /// Ends the pending operation; the await throws operation_aborted.
    void cancel() {
        cancelled_ = true;
        if (wait_) wait_->cancel_wait();
    }

    /// Every wait asks before it begins. A cancelled scope throws operation_aborted at the first wait that it meets, so
    /// that code may clean up; code that goes on and waits again is stopped there: the answer is no, the wait calls
    /// abandoned() once it is suspended, and its coroutine is destroyed where it stands. Otherwise a loop that catches
    /// and tries again would never end.
    bool may_wait() {
        if (!cancelled_) [[likely]]
            return true;
        refuse();
        return false;
    }
    void begins(PendingWait& wait) noexcept { wait_ = &wait; }
    void forget() noexcept { wait_ = nullptr; }  // the wait is destroyed before its end
    void ended() noexcept { wait_ = nullptr; }   // it is over, and must not be cancelled any more
    void mark_cancellation_delivered() noexcept { delivered_ = cancelled_; }  // a wait throws: now the code knows
    virtual void abandoned() = 0;  // destroy the coroutine, not in this call; report operation_aborted
    virtual void orphaned() = 0;   // what it waits for was destroyed and will never complete: the context shuts down
    virtual bool may_begin() const { return true; }   // something that others see: not while the lease is in doubt
    virtual Scope* outer() const { return nullptr; }  // the scope that waits for this one without a limit
    virtual bool is_one_of_several() const { return false; }  // that go on side by side (engine/all.hpp)
    virtual bool has_a_time_limit() const { return false; }   // of its own (engine/timeout.hpp)

protected:
    ~Scope() = default;

private:
    void refuse();
    const Runtime* runtime_;
    PendingWait* wait_ = nullptr;  // the chain of awaitables waits for one thing at a time
    bool cancelled_ = false;
    bool delivered_ = false;  // the cancellation, to the code
};
}
