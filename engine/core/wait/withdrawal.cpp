// A withdrawal refers to the awaited work only while the await is in progress.
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
