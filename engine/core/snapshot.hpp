// Snapshots of durable runs: the live state of a root run as text, stored with a tick, so that a long run recovers
// without its earlier ticks. Reading a snapshot gives the fold of those ticks.
#pragma once
#include "engine/core/fold.hpp"
#include "engine/core/loop/run_core.hpp"

namespace weft::core {
/// Takes a snapshot for the tick that is appended next; the run has taken this tick already. Empty if it is too early,
/// or if a recovery from it would lack data: the records or the children of an attempt, a repeatable step's event,
/// which is stored only as a checksum, or an attempt's input that was moved away.
std::optional<storage::Snapshot> take_snapshot(RunCore&, const std::string& last_tick);
/// The fold after the snapshot's ticks, under the plan with its hash. Its events are in the snapshot, as a tick's
/// events are in the tick; its slots are there for a SlotsFold. Throws Error{journal} for an invalid snapshot.
Fold fold_of(NamedPlan, std::shared_ptr<const journal::SnapshotRecord>);
/// Thrown if recovery cannot use a snapshot: the ticks contain the same information.
struct BadSnapshot {};

// The data that a run keeps for its next snapshot:
void keep_input(RunCore&, Handle token);                           // call before an attempt that may wait
void note_before(RunCore&, const Tick&, bool made_by_repeatable);  // before the reducer takes the tick
void note_after(RunCore&, std::size_t first_command);              // after the reducer
}
