// An invocation of a step that may wait: the call, and the scope of its awaits.
#pragma once
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_observation.hpp"
#include "engine/core/wait/scope.hpp"

namespace weft::core {
struct AttemptTimer;
/// The scope outlives the coroutine.
class Attempt final : public Scope, public WaitingCall, public Linked<Attempt>, public Recycled {
public:
    Attempt(RunCore& of, StepIndex index, Handle handle, Buffer<Emitted>& events, const Runtime& runtime)
        : Scope(runtime), WaitingCall(of, index, handle, events, this) {}
    ~Attempt();
    void link() {
        began = clock().now();
        Linked::link(run.attempts);
        ++run.waiting;
    }
    void unlink() {
        Linked::unlink();
        --run.waiting;
    }
    void abandoned() override;
    void orphaned() override { abandoned(); }  // the awaited object was destroyed, so no result follows
    bool may_begin() const override {
        LoopCore* loop = run.loop;
        return !loop || loop->keeper().may_begin(run);
    }

    Attempt* next_ended = nullptr;
    Clock::Time began;  // time of link(), soon after the start of the call
    AttemptTimer* timer = nullptr;
    RunObservation::Invocation seen;  // set if the run is observed
    bool was_abandoned = false;
    bool has_ended = false;  // Attempts::add_ended() has it until collect_ended()
};
/// The attempt whose coroutine awaits in this scope without a time limit in between, or null.
Attempt* attempt_around(Scope*);
}
