// The destructor of a waiting reader removes it from the run's list.
#include "engine/core/loop/run_wait.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/wait/scope.hpp"

namespace weft::core {
RunWait::~RunWait() {
    if (!waiting_) return;
    unlink();
    scope_->forget();
}
void RunWait::begin(std::coroutine_handle<> h) {
    waiting_ = h;
    wake = [](Waiter& w) { static_cast<RunWait&>(w).waiting_.resume(); };
    link(run_->readers);
    scope_->begins(*this);
}
void RunWait::cancel_wait() {
    if (LoopCore* loop = run_->loop) loop->wake(*run_);
}
void RunWait::await_resume() {
    if (end()) throw_aborted();
}
bool RunWait::end() {
    waiting_ = {};
    scope_->ended();
    if (scope_->cancelled()) scope_->mark_cancellation_delivered();
    return scope_->cancelled();
}
}
