// A run begins again (Context::begin_again): it drops its state and its slots, and the next start event arrives.
#pragma once
#include "engine/core/data/next_start.hpp"
#include "engine/core/loop/run_core.hpp"
#include <optional>

namespace weft::core {
/// The next start event of a step that has ended. Its token is still running: the run begins again when no step that
/// only signals reach is at work.
struct WaitingStart {
    std::optional<Emitted> start;  // empty: `next` makes it at the end of the wait
    Handle token = none;
    NextStart next = {};
};
/// Throws Error{usage} if anything else of the run is at work or open, except for steps that only signals reach, if the
/// run is a child, and if the event begins another workflow.
void check_next_start(const RunCore&, Handle token, const NextStart&);
/// Makes the next start event from the run's slots, if need be, and puts it into a cell. Throws Error{bad_json} if a
/// stored run cannot keep it.
Emitted put_next_start(RunCore&, const NextStart&);
/// Whether steps that only signals reach are at work.
bool waits_for_signals(const RunCore&, Handle token);
/// Whether anything else of the run is at work or open.
bool is_held_back(const RunCore&, Handle token);
/// Ends the invocation, and drops all other events, the slots and the state, but not the number of questions. The cell
/// of the next start event stays.
void drop_state(RunCore&, Handle token);
}
