// A signal: any thread wakes the one coroutine that waits.
//
//     Signal signal;
//     signal.ring();                        // from any thread; two rings before a wait count as one
//     co_await signal.wait();               // returns immediately after an earlier ring
//
// Copies refer to the same signal. ring() resumes the waiting coroutine on the coroutine's own loop, in a separate
// turn; the coroutine's cancellation ends the wait. Only one coroutine may wait at a time: a second one gets
// Error{usage}. All rings before the resumption count as one, so the coroutine must look for everything that has
// happened. A signal may outlive the context of the waiting coroutine.
#pragma once
#include "engine/core/wait/pending_wait.hpp"
#include "engine/core/wait/scope.hpp"
#include <coroutine>
#include <memory>

namespace weft {
class Signal {
public:
    struct State;
    struct [[nodiscard]] Ring {        // what wait() returns, to be awaited
        std::shared_ptr<State> state;  // keeps the signal alive
    };
    Signal();
    void ring() const;
    /// Like ring(), but resumes the waiting coroutine inside this call, which saves a turn. Call it only on that
    /// coroutine's loop and as the last act of a turn, because the coroutine may destroy the caller.
    void ring_here() const;
    Ring wait() const { return {state_}; }
    friend bool operator==(const Signal&, const Signal&) = default;  // identity

private:
    std::shared_ptr<State> state_;
};

namespace core {
class SignalWait final : public ScopedWait {
public:
    SignalWait(Scope* scope, Signal::Ring ring) : ScopedWait(scope), state_(std::move(ring.state)) {}
    ~SignalWait();
    bool await_ready();
    void await_suspend(std::coroutine_handle<>);
    void await_resume();
    void cancel_wait() override;
    const asio::any_io_executor& executor() const { return scope_->executor(); }
    void resume();

private:
    std::shared_ptr<Signal::State> state_;
    bool aborted_ = false;
};
inline auto bridge(Scope* scope, Signal::Ring ring) { return SignalWait(scope, std::move(ring)); }
}
}
