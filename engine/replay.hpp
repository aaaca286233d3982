// Calls the steps of a stored run again and compares what they make with what is stored: after a change of a program,
// of a prompt or of a library it tells which step does something else now. Nothing of the run is changed.
//
//     auto replayed = replay(durable<Claim>(refund), history_of(store, "refund:A-17"));
//     CHECK_FALSE(replayed.difference);                                     // in a test
//     if (replayed.difference) std::cout << replayed.difference->sentence() << '\n';
//
// Called again are steps that do not wait, and steps whose waits are all recorded by ctx.once: these get what is
// recorded, so no model is asked, no tool runs, and no connection is opened. A step with a wait that is not recorded is
// skipped. A step that has an effect without waiting for it asks ctx.replaying() first.
#pragma once
#include "engine/core/machine/definition.hpp"
#include "engine/store.hpp"
#include "engine/workflow.hpp"

namespace weft {
/// The first tick that is not what its step makes now.
struct Difference {
    std::uint64_t tick = 0;
    std::string step, what;  // what: "its event InputEvent differs at /messages/0/content, from its character 7 on"
    bool is_of_checksum = false;  // only a checksum of the event is stored, so the place is not known
    std::string sentence() const;
};
struct Replayed {
    std::size_t steps = 0, skipped = 0;  // invocations that were made again, and that could not be
    std::optional<Difference> difference;
    std::string made;  // the events of the last invocation that was made again: JSON, with the data of all of them
    std::string counts() const;  // "3 steps made again, 2 skipped"
};
/// Throws Error{journal} for a history that cannot be read, or of a workflow that has changed too much to be replayed.
Replayed replay(std::shared_ptr<const core::Definition>, const storage::History&);
template <class W> Replayed replay(const Bound<W>& workflow, const storage::History& history) {
    return replay(workflow.definition, history);
}
/// Where two programs differ in what they make of the same invocation: " at /messages/0/content, from its character 7
/// on: ..."; empty if they do not.
std::string difference_between(const Replayed& before, const Replayed& now);
/// Waits for the store. Throws what it answers.
storage::History history_of(Store&, const std::string& run);
}
