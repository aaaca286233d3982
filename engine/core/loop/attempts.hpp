// Calls steps, and turns their ends into ticks: steps with policies, observers and coroutines, failures, retries, and
// branches that a quorum cancels.
#pragma once
#include "engine/clock.hpp"
#include "engine/core/data/buffer.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/core/loop/run_core.hpp"
#include <cstdint>
#include <exception>

namespace weft::core {
class Keeper;
struct NextStart;  // engine/core/data/next_start.hpp

class Attempts {
public:
    Attempts(LoopCore& loop, Keeper* keeper, std::uint64_t seed) : loop_(loop), keeper_(keeper), seed_(seed) {}
    std::uint64_t first_number() const { return mix(seed_); }  // number of the loop's first run
    void add_ended(Attempt&);                                  // the coroutine has ended, or must be destroyed
    void collect_ended();
    bool any_ended() const { return first_ended_; }
    void cancel_branch(RunCore&, Handle token);
    void delay(RunCore&, Handle token, Clock::Time due);  // schedules the token's next attempt
    void destroy_all(RunCore&);                           // when the run leaves memory, or the loop closes
    void forget_all_ended();                              // when the loop closes
    bool begin_waiting(RunCore&);  // begins the run again if its WaitingStart waits for nothing any more

private:
    friend class LoopCore;  // pump(), around invoke()
    friend class RunCore;   // input from outside
    void invoke(RunCore&, StepIndex, Handle token);
    void invoke_watched(RunCore&, StepIndex, Handle token);
    void invoke_waiting(RunCore&, StepIndex, Handle token, Clock::Time began);
    void take(RunCore&, const Tick&, Slots* edits);  // stores and reduces the tick, commits the edits
    void finish(StepCall&);
    void begin_again(StepCall&, NextStart&);
    void begin_again(RunCore&, Handle token, Emitted start);
    void finish_or_drop(StepCall&);
    void fail(StepCall&, std::exception_ptr, Clock::Time began);
    void give_up(RunCore&, Handle token, const std::exception_ptr&);  // the step makes no further attempt
    bool try_again(StepCall&, const std::exception_ptr&, Clock::Time began);
    bool rescue(StepCall&, const std::exception_ptr&, Clock::Time began);
    void drop(StepCall&);
    void drop_observed(StepCall&);
    void drop_delayed(RunCore&, Handle token);
    void release_input(StepCall&);
    void release_input(RunCore&, Handle token);
    void release_emitted(StepCall&);
    void forget_ended(const Attempt&);
    void observe_end(StepCall&, const std::exception_ptr& error);
    double random(const RunCore&, StepIndex, unsigned attempt) const;

    LoopCore& loop_;
    Keeper* const keeper_;  // null: the loop stores no run
    const std::uint64_t seed_;
    Buffer<Emitted> emitted_;  // events of the running step
    Attempt *first_ended_ = nullptr, *last_ended_ = nullptr;
};
}
