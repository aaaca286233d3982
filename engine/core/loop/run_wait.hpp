// Suspends until the next change of a run, on the run's own loop. Does not include Asio.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include "engine/core/wait/pending_wait.hpp"
#include <utility>

namespace weft::core {
class RunWait : protected PendingWait, Waiter {
public:
    RunWait(Scope* scope, CoreRef run) : scope_(scope), run_(std::move(run)) {}
    void cancel_wait() override;  // wakes the readers of the run
    void await_resume();          // throws if cancelled

protected:
    ~RunWait();
    void begin(std::coroutine_handle<>);
    bool end();  // returns whether it was cancelled
    bool waiting() const { return bool(waiting_); }
    Scope* scope_;
    CoreRef run_;

private:
    std::coroutine_handle<> waiting_;
};
template <class Wait> struct change_of {
    explicit change_of(CoreRef r) : run(std::move(r)) {}
    CoreRef run;
};
template <class Wait> Wait bridge(Scope* scope, change_of<Wait> c) { return Wait(scope, std::move(c.run)); }
}
