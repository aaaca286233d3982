// The sleep of a step (Context::sleep). In a stored run its end is an outcome of the invocation, as of
// Context::at_most_once, so each later attempt has the same end. The run may leave memory meanwhile.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/core/data/linked.hpp"
#include "engine/core/loop/run_core.hpp"
#include "engine/core/wait/alarmed_wait.hpp"

namespace weft::core {
class Attempt;
/// Waits for a date, in a stored run by the store's clock. While an attempt waits for nothing else, it stands in the
/// list of its run.
class WallSleep final : public AlarmedWait, public Linked<WallSleep> {
public:
    WallSleep(Scope* scope, WallTime until) : AlarmedWait(scope), until_(until) {}
    ~WallSleep() { unlink(); }
    WallTime until() const { return until_; }
    const Attempt* attempt() const { return attempt_; }
    void await_suspend(std::coroutine_handle<>);
    void cancel_wait() override;

private:
    void ring() override;
    void wait();
    WallTime date() const;
    WallTime until_;
    const Attempt* attempt_ = nullptr;
};
/// The present date, for a stored run by the store's clock. Null: there is no run.
WallTime date_of(const RunCore*, const Clock&);
/// The time of the wall clock that ends the sleeps of this context: in a stored run the store's.
awaitable<WallTime> wall_of_sleeps(const Context&);
struct sleep_until_wall {
    WallTime until;
};
inline WallSleep bridge(Scope* scope, sleep_until_wall s) { return WallSleep(scope, s.until); }
}
