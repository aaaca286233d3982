// Snapshots of durable runs: the live state of a root as text, stored with a tick, so that a long run comes back
// without the ticks before it. Reading one gives the fold that those ticks lead to.
#pragma once
#include "engine/core/fold.hpp"
#include "engine/core/loop/run_core.hpp"

namespace weft::core {
/// With the tick that is appended next, whose record is given, and that the run has taken already. Nothing if it is too
/// early, or if a run that began from there would lack something: the records or the children of an attempt, the event
/// of a repeatable step, which is stored as a sum only, or what an attempt has been given and has moved away since.
std::optional<storage::Snapshot> take_snapshot(RunCore&, const std::string& last_tick);
/// The fold, as the snapshot's ticks have left it, under the plan that has its hash. Its events are in the snapshot, as
/// those of a tick are in a tick; so are its slots, for a SlotsFold. Throws Error{journal} for what cannot be.
Fold fold_of(NamedPlan, std::shared_ptr<const journal::SnapshotRecord>);
/// Thrown where a snapshot cannot be gone on from: the ticks tell all that it tells.
struct BadSnapshot {};

// What a run has to remember for its next snapshot:
void keep_input(RunCore&, Handle token);                           // before an attempt that may wait is called
void note_before(RunCore&, const Tick&, bool made_by_repeatable);  // before the reducer takes the tick
void note_after(RunCore&, std::size_t first_command);              // and after it
}
