// A wait that can be cancelled while the awaiting coroutine continues: by a timeout (engine/timeout.hpp), or by a
// withdrawal (engine/core/wait/withdrawal.hpp).
//
// A cancelled coroutine cancels the guarded wait too, and resumes when that has ended.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/core/wait/scope.hpp"
#include <memory>

namespace weft::core {
/// The scope of the awaited work, between the awaiting coroutine and its child.
class GuardScope : public Scope, PendingWait {
public:
    explicit GuardScope(Scope* parent) : Scope(parent->runtime()), parent_(parent) {}
    void abandoned() override;
    void orphaned() override { parent_->orphaned(); }
    bool may_begin() const override { return parent_->may_begin(); }
    bool is_one_of_several() const override { return parent_->is_one_of_several(); }
    void cancel_wait() override { cancel(); }

protected:
    ~GuardScope();
    virtual bool is_cancelled_alone() const = 0;  // only this part of the chain was cancelled
    virtual void set_limit() {}
    void wait(std::coroutine_handle<> parent);  // the child has suspended
    void stop();                                // the child has ended
    Scope* parent_;
    bool allowed_ = true, abandoned_ = false;

private:
    std::coroutine_handle<> waiting_;
    std::shared_ptr<GuardScope*> self_;  // for the posted end of an abandoned child
};
/// `Guard` is a GuardScope with the cause of cancellation: its Limit, begin() before the child, finish(error) after it.
template <class T, class Guard> class GuardedWait final : public Guard {
public:
    GuardedWait(Scope* parent, typename Guard::Limit limit, awaitable<T>& work)
        : Guard(parent, limit), child_(PrivateAccess::release_once(work)) {}
    ~GuardedWait() { child_.destroy(); }
    bool await_ready() {
        if (!(this->allowed_ = this->parent_->may_wait())) return false;
        this->begin();
        child_.promise().scope = this;
        child_.resume();
        return child_.done();
    }
    void await_suspend(std::coroutine_handle<> h) {
        if (!this->allowed_) return this->parent_->abandoned();
        child_.promise().waiting = h;
        this->wait(h);
    }
    T await_resume() {
        this->stop();
        this->finish(child_.promise().error);
        return child_.promise().take();
    }

private:
    typename awaitable<T>::Handle child_;
};
}
