// A signal: one coroutine waits for it, any thread rings it.
//
//     Signal signal;
//     signal.ring();                        // from any thread; rung twice before somebody waits, it counts once
//     co_await signal.wait();               // at once, if it was rung before
//
// Copies are the same signal. Whoever waits is resumed on its own loop, in a turn of its own; its cancellation ends the
// wait. One coroutine waits at a time, a second one gets Error{usage}. Rings that come before it was resumed count as
// one: it looks for what has happened after that. A signal may outlive the context of whoever waits.
#pragma once
#include "engine/core/wait/pending_wait.hpp"
#include "engine/core/wait/scope.hpp"
#include <coroutine>
#include <memory>

namespace weft {
class Signal {
public:
    struct State;
    struct [[nodiscard]] Ring {
        std::shared_ptr<State> state;
    };
    Signal();
    void ring() const;
    /// As ring(), on the loop of whoever waits, who is resumed inside this call: it saves a turn of the loop. Only as
    /// the last act of a turn, because what goes on there may destroy whoever rings.
    void ring_here() const;
    Ring wait() const { return {state_}; }
    friend bool operator==(const Signal&, const Signal&) = default;  // whether they are the same

private:
    std::shared_ptr<State> state_;
};

namespace core {
class SignalWait final : PendingWait {
public:
    SignalWait(Scope* scope, Signal::Ring ring) : scope_(scope), state_(std::move(ring.state)) {}
    SignalWait(SignalWait&& o) noexcept : scope_(o.scope_), state_(std::move(o.state_)) {}  // before it is awaited
    ~SignalWait();
    bool await_ready();
    void await_suspend(std::coroutine_handle<>);
    void await_resume();
    void cancel_wait() override;
    const asio::any_io_executor& executor() const { return scope_->executor(); }
    void resume();

private:
    Scope* scope_;
    std::shared_ptr<Signal::State> state_;
    std::coroutine_handle<> waiting_;
    bool allowed_ = true, aborted_ = false;
};
inline auto bridge(Scope* scope, Signal::Ring ring) { return SignalWait(scope, std::move(ring)); }
}
}
