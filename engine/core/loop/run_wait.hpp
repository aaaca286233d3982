// Suspends until the next change of a run, on the run's own loop. Does not include Asio.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include "engine/core/wait/pending_wait.hpp"
#include <utility>

namespace weft::core {
class RunWait : protected PendingWait, Waiter {
public:
    RunWait(Scope* scope, CoreRef run) : scope_(scope), run_(std::move(run)) {}
    RunWait(RunWait&& o) noexcept : scope_(o.scope_), run_(std::move(o.run_)) {}  // moved only before the await

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
}
