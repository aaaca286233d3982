// An abandoned child ends in a separate turn, because the abandoned wait is still on the stack.
#include "engine/core/wait/guarded_wait.hpp"
#include <boost/asio/post.hpp>

namespace weft::core {
GuardScope::~GuardScope() {
    if (self_) *self_ = nullptr;
    if (waiting_) parent_->forget();
}
void GuardScope::wait(std::coroutine_handle<> parent) {
    waiting_ = parent;
    parent_->begins(*this);
    set_limit();
    if (parent_->cancelled()) cancel();  // the child cancelled its parent before the wait
}
void GuardScope::stop() {
    if (std::exchange(waiting_, {})) parent_->ended();
}
void GuardScope::abandoned() {
    abandoned_ = true;
    self_ = std::make_shared<GuardScope*>(this);
    asio::post(executor(), [self = self_] {
        auto* scope = *self;
        if (!scope) return;
        if (!scope->is_cancelled_alone()) return scope->parent_->abandoned();
        scope->waiting_.resume();
    });
}
}
