// As with a timeout, an abandoned child ends in a turn of its own: the abandoned wait still stands on the stack.
#include "engine/core/withdrawal.hpp"
#include <boost/asio/post.hpp>

namespace weft::core {
void Withdrawal::cancel() {
    if (scope_) scope_->cancel();
}
WithdrawalScope::~WithdrawalScope() {
    if (self_) *self_ = nullptr;
    if (withdrawal_.scope_ == this) withdrawal_.scope_ = nullptr;
    if (waiting_) parent_->forget();
}
void WithdrawalScope::wait(std::coroutine_handle<> parent) {
    waiting_ = parent;
    parent_->begins(*this);
    if (parent_->cancelled()) cancel();  // from inside, before it waited
}
void WithdrawalScope::stop() {
    withdrawal_.scope_ = nullptr;
    if (std::exchange(waiting_, {})) parent_->ended();
}
void WithdrawalScope::abandoned() {
    abandoned_ = true;
    self_ = std::make_shared<WithdrawalScope*>(this);
    asio::post(executor(), [self = self_] {
        auto* scope = *self;
        if (!scope) return;
        if (scope->parent_->cancelled()) return scope->parent_->abandoned();  // all of the chain was cancelled
        scope->waiting_.resume();
    });
}
}
