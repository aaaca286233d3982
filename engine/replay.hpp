// Calls the steps of a stored run again and compares the results with the stored ones: this shows which step a change
// of a program, prompt or library affects. The run does not change.
//
//     auto replayed = replay(durable(refund), history_of(store, "refund:A-17"));
//     CHECK_FALSE(replayed.difference);                                     // in a test
//     if (replayed.difference) std::cout << replayed.difference->sentence() << '\n';
//
// Replay calls steps that do not wait, and steps whose waits are all recorded by ctx.once: these get the records, so no
// model is asked, no tool runs, and no connection is opened. Replay skips a step with an unrecorded wait. A step with
// an effect outside of its waits must ask ctx.replaying() first.
#pragma once
#include "engine/core/machine/definition.hpp"
#include "engine/store.hpp"
#include "engine/workflow.hpp"

namespace weft {
/// The first tick that differs from the present result of its step.
struct Difference {
    std::uint64_t tick = 0;  // its number in the run
    std::string step, what;  // what: "its event InputEvent differs at /messages/0/content, from its character 7 on"
    bool is_of_checksum = false;  // only a checksum of the event is stored, so the place is unknown
    std::string sentence() const;
};
/// The result of a replay.
struct Replayed {
    std::size_t steps = 0, skipped = 0;  // numbers of invocations: called again, and not callable
    std::optional<Difference> difference;
    std::string made;            // the events of the last called invocation: JSON with all data
    std::string counts() const;  // "3 steps made again, 2 skipped"
};
/// Throws Error{journal} if the history is unreadable, or the workflow has changed too much for a replay.
Replayed replay(std::shared_ptr<const core::Definition>, const storage::History&);
template <class W> Replayed replay(const Bound<W>& workflow, const storage::History& history) {
    return replay(workflow.definition, history);
}
/// The place at which the results of two programs for the same invocation differ: " at /messages/0/content, from its
/// character 7 on: ..."; empty if they are equal.
std::string difference_between(const Replayed& before, const Replayed& now);
/// Waits for the store. Throws the store's error.
storage::History history_of(Store&, const std::string& run);
}
