// Something that a coroutine awaits, and that others may cancel while the coroutine itself goes on.
//
//     core::Withdrawal withdrawal;                         // outlives the await; used on the loop of the coroutine
//     auto asking = core::until_withdrawn(withdrawal, ask());
//     co_await std::move(asking);                          // operation_aborted once withdrawal.cancel() was called
//
// Cancelling the coroutine cancels what it awaits, too. Other than a timeout this waits for nothing of its own, so a
// run whose step waits for a child in it is as idle as if the step waited for the child alone.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/core/scope.hpp"
#include <memory>

namespace weft::core {
class WithdrawalScope;
class Withdrawal {
public:
    Withdrawal() = default;
    Withdrawal(const Withdrawal&) = delete;
    /// What is awaited with it now.
    void cancel();

private:
    friend class WithdrawalScope;
    WithdrawalScope* scope_ = nullptr;
};
class WithdrawalScope : public Scope, Pending {
public:
    WithdrawalScope(Scope* parent, Withdrawal& withdrawal)
        : Scope(parent->runtime()), parent_(parent), withdrawal_(withdrawal) {}
    Scope* outer() const override { return parent_; }
    void abandoned() override;
    void orphaned() override { parent_->orphaned(); }
    bool may_begin() const override { return parent_->may_begin(); }
    bool is_one_of_several() const override { return parent_->is_one_of_several(); }
    void cancel_wait() override { cancel(); }

protected:
    ~WithdrawalScope();
    void begin() { withdrawal_.scope_ = this; }
    void wait(std::coroutine_handle<> parent);  // the child has suspended
    void stop();                                // it has ended
    Scope* parent_;
    Withdrawal& withdrawal_;
    bool allowed_ = true, abandoned_ = false;

private:
    std::coroutine_handle<> waiting_;
    std::shared_ptr<WithdrawalScope*> self_;  // for the posted end of an abandoned child
};
template <class T> struct [[nodiscard]] until_withdrawn {
    [[nodiscard]] until_withdrawn(Withdrawal& by, awaitable<T> w) : withdrawal(by), work(std::move(w)) {}
    Withdrawal& withdrawal;
    awaitable<T> work;
};
template <class T> class WithdrawalWait final : public WithdrawalScope {
public:
    WithdrawalWait(Scope* parent, until_withdrawn<T>&& in)
        : WithdrawalScope(parent, in.withdrawal), child_(Inside::release_once(in.work)) {}
    WithdrawalWait(WithdrawalWait&& o) noexcept
        : WithdrawalScope(o.parent_, o.withdrawal_), child_(std::exchange(o.child_, {})) {}
    ~WithdrawalWait() {
        if (child_) child_.destroy();
    }
    bool await_ready() {
        if (!(allowed_ = parent_->may_wait())) return false;
        begin();
        child_.promise().scope = this;
        child_.resume();
        return child_.done();
    }
    void await_suspend(std::coroutine_handle<> h) {
        if (!allowed_) return parent_->abandoned();
        child_.promise().waiting = h;
        wait(h);
    }
    T await_resume() {
        stop();
        if (abandoned_) throw_aborted();
        if (child_.promise().error) parent_->mark_cancellation_delivered();
        return child_.promise().take();
    }

private:
    typename awaitable<T>::Handle child_;
};
template <class T> auto bridge(Scope* scope, until_withdrawn<T>&& in) {
    return WithdrawalWait<T>(scope, std::move(in));
}
}
