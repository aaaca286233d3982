// Suspends until something has happened to a run, on the run's own loop.
#pragma once
#include "engine/run_core.hpp"
#include "engine/scope.hpp"
#include <utility>

namespace weft::detail {
class RunWait : protected Pending, Waiter {
public:
    RunWait(Scope* scope, CoreRef run) : scope_(scope), run_(std::move(run)) {}
    RunWait(RunWait&& o) noexcept : scope_(o.scope_), run_(std::move(o.run_)) {}  // before it is awaited

protected:
    ~RunWait() {
        if (!waiting_) return;
        unlink();
        scope_->forget();
    }
    void begin(std::coroutine_handle<> h) {
        waiting_ = h;
        wake = [](Waiter& w) { static_cast<RunWait&>(w).waiting_.resume(); };
        link(run_->readers);
        scope_->begins(*this);
    }
    bool end() {  // whether it was cancelled
        waiting_ = {};
        scope_->ended();
        if (scope_->cancelled()) scope_->tell();
        return scope_->cancelled();
    }
    bool waiting() const { return bool(waiting_); }
    Scope* scope_;
    CoreRef run_;

private:
    std::coroutine_handle<> waiting_;
};
}
