// An await that other code may cancel while the awaiting coroutine continues.
//
//     core::Withdrawal withdrawal;                         // outlives the await; used on the loop of the coroutine
//     auto asking = core::until_withdrawn(withdrawal, ask());
//     co_await std::move(asking);                          // operation_aborted once withdrawal.cancel() was called
//
// Cancelling the coroutine cancels the awaited work too. Unlike a timeout this sets no timer, so a run whose step waits
// for a child inside it is as idle as with a direct wait.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/core/wait/guarded_wait.hpp"

namespace weft::core {
class WithdrawalScope;
class Withdrawal {
public:
    Withdrawal() = default;
    Withdrawal(const Withdrawal&) = delete;
    /// Cancels the work that is being awaited.
    void cancel();

private:
    friend class WithdrawalScope;
    WithdrawalScope* scope_ = nullptr;
};
class WithdrawalScope : public GuardScope {
public:
    using Limit = Withdrawal&;
    WithdrawalScope(Scope* parent, Withdrawal& withdrawal) : GuardScope(parent), limit_(withdrawal) {}
    Scope* outer() const override { return parent_; }

protected:
    ~WithdrawalScope();
    void begin() { limit_.scope_ = this; }
    void finish(const std::exception_ptr&);
    Withdrawal& limit_;

private:
    bool is_cancelled_alone() const override { return !parent_->cancelled(); }
};
template <class T> struct [[nodiscard]] until_withdrawn {
    [[nodiscard]] until_withdrawn(Withdrawal& by, awaitable<T> w) : withdrawal(by), work(std::move(w)) {}
    Withdrawal& withdrawal;
    awaitable<T> work;
};
template <class T> auto bridge(Scope* scope, until_withdrawn<T>&& in) {
    return GuardedWait<T, WithdrawalScope>(scope, in.withdrawal, in.work);
}
}
