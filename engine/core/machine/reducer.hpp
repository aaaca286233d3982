// The engine's decisions, pure: reduce(plan, state, tick) changes the state and lists commands. It sees small integers
// only, no payload, no clock, no I/O. The same ticks in the same order always give the same state: a run's journal is
// its ticks, and a test is a few numbers.
#pragma once
#include "engine/core/machine/questions.hpp"

namespace weft::core {
struct Emitted {
    Handle cell;
    TypeIndex type;
    bool operator==(const Emitted&) const = default;
};

struct Tick {
    // dropped: the invocation of a branch that was cancelled has ended, or is not going to begin
    enum Kind : std::uint8_t { arrived, finished, failed, due, ended, dropped } kind;
    std::uint8_t fan_out = 0;               // finished: the events are branches, of the step's n-th kind of fan-out
    bool retry = false;                     // failed: it will be due again
    RunStatus status = RunStatus::running;  // ended: by what, from outside of its steps
    Handle token = none;                    // of the invocation
    std::span<const Emitted> events{};  // what it emitted; the one that arrived; the StepFailedEvent to rescue it with
    QuestionId question = QuestionId::none;  // arrived: the one it answers, else the oldest that fits
};
struct Command {
    // discard: nobody is going to consume the event; cancel: the invocation, or its wait for the next attempt
    enum Kind : std::uint8_t { invoke, publish, unhandled, end, discard, cancel } kind;
    StepIndex step = 0;
    Handle token = none;  // invoke: the invocation; publish: the question
    Handle cell = none;
    std::uint32_t serial = 0;  // publish: of the question, which may have been answered by then
    bool operator==(const Command&) const = default;
};
using Commands = Buffer<Command, 2>;

/// Who takes a failure of this invocation: a step, or none if the run is to fail.
StepIndex handler_of(const Plan&, const State&, Handle token);

void decide(const Plan&, State&, const Tick&, Commands&);  // every case

// The common case on a short path, with the same result: an event went in, one came out, one step accepts it and has a
// worker free, and nobody waits for the worker that is free now. The token goes on with the event, in the same place;
// nothing opens or closes. It calls nothing and stores little, which is most of the speed of a short step.
[[gnu::always_inline]] inline bool pass_on(const Plan& plan, State& state, unsigned fan_out, Handle h,
                                           std::span<const Emitted> events, Commands& out) {
    if (events.size() != 1 || fan_out || state.status != RunStatus::running || !out.has_room()) return false;
    const Emitted& e = events.front();  // by reference: loading it whole would wait for narrow stores
    const StepIndex to = plan.events[e.type].only;
    if (to == no_step) return false;
    Token& token = state.tokens[h];
    Lane& from = state.lanes[token.step];
    Lane& lane = state.lanes[to];
    if (token.items != none || from.first != none || lane.first != none || lane.free == 0) return false;
    ++from.free;
    --lane.free;
    token.cell = e.cell;
    token.next = none;
    token.step = to & 0xfff;  // all that it has room for
    token.attempts = 0;
    out.push_back_unchecked({Command::invoke, to, h});
    return true;
}
inline void reduce(const Plan& plan, State& state, const Tick& tick, Commands& out) {
    if (tick.kind != Tick::finished || !pass_on(plan, state, tick.fan_out, tick.token, tick.events, out))
        decide(plan, state, tick, out);
}
}
