// The lock is held during the post: the posted handler takes the lock first, so its consequences, which may destroy the
// context, begin only after the ringing thread has left post().
#include "engine/signal.hpp"
#include "engine/error.hpp"
#include <boost/asio/post.hpp>
#include <mutex>

namespace weft {
struct Signal::State : std::enable_shared_from_this<Signal::State> {
    std::mutex mutex;
    core::SignalWait* waiting = nullptr;
    bool rung = false;
    bool posted = false;  // the resumption is posted

    void wake() {  // call it with the lock
        if (posted) return;
        posted = true;
        asio::post(waiting->executor(), [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->deliver();
        });
    }
    void deliver() {
        core::SignalWait* who = nullptr;
        {
            std::lock_guard lock(mutex);
            if (posted) who = std::exchange(waiting, nullptr);
            posted = false;
        }
        if (who) who->resume();
    }
};
Signal::Signal() : state_(std::make_shared<State>()) {}
void Signal::ring() const {
    std::lock_guard lock(state_->mutex);
    if (state_->waiting) state_->wake();
    else state_->rung = true;
}
void Signal::ring_here() const {
    const auto state = state_;
    core::SignalWait* who = nullptr;
    {
        std::lock_guard lock(state->mutex);
        if (state->posted) return;
        who = std::exchange(state->waiting, nullptr);
        if (!who) state->rung = true;
    }
    if (who) who->resume();
}

namespace core {
SignalWait::~SignalWait() {
    if (!waiting_) return;
    {
        std::lock_guard lock(state_->mutex);
        if (state_->waiting == this) state_->waiting = nullptr;
        state_->posted = false;
    }
    scope_->forget();
}
bool SignalWait::await_ready() {
    allowed_ = scope_->may_wait();
    if (!allowed_) return false;
    std::lock_guard lock(state_->mutex);
    return std::exchange(state_->rung, false);
}
void SignalWait::await_suspend(std::coroutine_handle<> h) {
    if (!allowed_) {
        waiting_ = {};
        return scope_->abandoned();
    }
    std::lock_guard lock(state_->mutex);
    if (state_->waiting) throw Error(Code::usage, "two coroutines wait for one signal: give each its own");
    waiting_ = h;
    state_->waiting = this;
    scope_->begins(*this);
    if (std::exchange(state_->rung, false)) state_->wake();
}
void SignalWait::cancel_wait() {
    aborted_ = true;
    std::lock_guard lock(state_->mutex);
    if (state_->waiting == this) state_->wake();
}
void SignalWait::resume() { std::exchange(waiting_, {}).resume(); }
void SignalWait::await_resume() {
    if (!allowed_) return;
    scope_->ended();
    if (!aborted_) return;
    scope_->mark_cancellation_delivered();
    throw_aborted();
}
}
}
