// An invocation of a step that may wait: the call, and the scope of whatever it awaits.
#pragma once
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_observation.hpp"
#include "engine/core/wait/scope.hpp"

namespace weft::core {
struct AttemptTimer;
class Attempt final : public Scope, public WaitingCall, public Recycled {  // the scope outlives the coroutine
public:
    Attempt(RunCore& run, StepIndex step, Handle token, Buffer<Emitted>& emitted, const Runtime& runtime)
        : Scope(runtime), WaitingCall(run, step, token, emitted, this) {}
    ~Attempt();
    void link() {
        began = clock().now();
        next = run.attempts;
        if (next) next->back = &next;
        back = &run.attempts;
        run.attempts = this;
        ++run.waiting;
    }
    void unlink() {
        *back = next;
        if (next) next->back = back;
        --run.waiting;
    }
    void abandoned() override;
    void orphaned() override { abandoned(); }  // what it waits for was destroyed and will never come
    bool may_begin() const override {
        LoopCore* loop = run.loop;
        return !loop || !loop->keeper().is_in_doubt(run);
    }

    Attempt *next = nullptr, **back = nullptr;
    Attempt* next_ended = nullptr;
    Clock::Time began;  // when it was linked, which is soon after its beginning
    AttemptTimer* timer = nullptr;
    RunObservation::Invocation seen;  // if somebody observes the run
    bool was_abandoned = false;
};
/// The attempt that waits for what is awaited in this scope, and sets it no time; null if there is none.
Attempt* attempt_around(Scope*);
}
