// A withdrawal knows what is awaited with it only while that goes on.
#include "engine/core/wait/withdrawal.hpp"

namespace weft::core {
void Withdrawal::cancel() {
    if (scope_) scope_->cancel();
}
WithdrawalScope::~WithdrawalScope() {
    if (limit_.scope_ == this) limit_.scope_ = nullptr;
}
void WithdrawalScope::finish(const std::exception_ptr& error) {
    limit_.scope_ = nullptr;
    if (abandoned_) throw_aborted();
    if (error) parent_->mark_cancellation_delivered();
}
}
