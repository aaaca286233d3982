// The engine's decisions, pure: reduce(plan, state, tick) changes the state and lists commands. It sees only small
// integers: no payload, no clock, no I/O. The same ticks in the same order always give the same state: a run's journal
// is its ticks, and tests are a few numbers.
#pragma once
#include "engine/core/machine/questions.hpp"

namespace weft::core {
struct Emitted {
    Handle cell;
    TypeIndex type;
    bool operator==(const Emitted&) const = default;
};

struct Tick {
    // dropped: the invocation of a cancelled branch has ended, or never begins
    enum Kind : std::uint8_t { arrived, finished, failed, due, ended, dropped } kind;
    std::uint8_t fan_out = 0;               // finished: branches of the step's n-th fan-out type; 0: single events
    bool retry = false;                     // failed: another attempt follows
    RunStatus status = RunStatus::running;  // ended: the status, set from outside of the steps
    Handle token = none;                    // the invocation
    // emitted by it; arrived: the event; failed: the event for its handler; failed, ended: the event for the undo step
    std::span<const Emitted> events{};
    QuestionId question = QuestionId::none;  // arrived: the answered question; none: the oldest that fits
};
struct Command {
    // discard: the event has no consumer; cancel: stops the invocation, or its wait for the next attempt
    enum Kind : std::uint8_t { invoke, publish, unhandled, end, discard, cancel } kind;
    StepIndex step = 0;
    Handle token = none;  // invoke: the invocation; publish: the question
    Handle cell = none;
    std::uint32_t serial = 0;  // publish: the question's serial number, since the question may be answered by then
    bool operator==(const Command&) const = default;
};
using Commands = Buffer<Command, 2>;

/// The handler for a failure of this invocation: a step, or no_step if the run fails.
StepIndex handler_of(const Plan&, const State&, Handle token);

void decide(const Plan&, State&, const Tick&, Commands&);  // all cases

// The short path for the common case: one event went in, one came out, one step with a free worker accepts it, and no
// other token waits for the freed worker. The token continues with the new event in the same place; nothing opens or
// closes. This path makes no calls and few stores, which gives short steps most of their speed. Only plan, state and
// tick decide whether an event takes it, because it leaves the token in its place among the members of the group.
[[gnu::always_inline]] inline bool pass_on(const Plan& plan, State& state, unsigned fan_out, Handle h,
                                           std::span<const Emitted> events, Commands& out) {
    if (events.size() != 1 || fan_out || state.status != RunStatus::running) return false;
    const Emitted& e = events.front();  // a reference, because a load of the whole would wait for narrow stores
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
    token.step = to & 0xfff;  // fits its bit-field
    token.attempts = 0;
    out.push_back({Command::invoke, to, h});
    return true;
}
inline void reduce(const Plan& plan, State& state, const Tick& tick, Commands& out) {
    if (tick.kind != Tick::finished || !pass_on(plan, state, tick.fan_out, tick.token, tick.events, out))
        decide(plan, state, tick, out);
}
}
