// Suspends until something has happened to a run, on the run's own loop. Knows nothing of Asio.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include "engine/core/wait/pending_wait.hpp"
#include <utility>

namespace weft::core {
class RunWait : protected PendingWait, Waiter {
public:
    RunWait(Scope* scope, CoreRef run) : scope_(scope), run_(std::move(run)) {}
    RunWait(RunWait&& o) noexcept : scope_(o.scope_), run_(std::move(o.run_)) {}  // before it is awaited

protected:
    ~RunWait();
    void begin(std::coroutine_handle<>);
    bool end();  // whether it was cancelled
    bool waiting() const { return bool(waiting_); }
    Scope* scope_;
    CoreRef run_;

private:
    std::coroutine_handle<> waiting_;
};
}
