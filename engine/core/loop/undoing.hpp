// The ending of a run with an undo step: its event, its own time limit, and its failure.
#pragma once
#include "engine/clock.hpp"
#include "engine/core/loop/run_core.hpp"
#include <optional>
#include <span>

namespace weft::storage {
struct History;
}
namespace weft::core {
class Fold;
/// The event for the undo step, in a cell. Empty if the run ends at once: it has no undo step, is in its ending
/// already, has begun no step, or fails outside of its steps. Notes an ending that ends too early. `culprit`: the
/// failed step, whose error the run has already.
std::optional<Emitted> put_ending(RunCore&, RunStatus, StepIndex culprit = no_step);
inline std::span<const Emitted> list_of(const std::optional<Emitted>& event) {
    return {event ? &*event : nullptr, event ? std::size_t{1} : 0};
}
/// Sets the time limit of the ending and tells the stream, if the reducer has begun the ending with this event.
void begin_undoing(RunCore&, const std::optional<Emitted>&);
/// The limit for the whole undoing.
Duration undo_limit(const RunCore&);
/// The deadline of a recovered undoing that lost much of its time, because no engine had the run; else empty. An
/// undoing gets at most five of them, so that one that ends its process each time ends. Its sleeps are its own time.
std::optional<std::int64_t> prolonged_deadline(const RunCore&, const Fold&, const storage::History&);
/// Keeps the reason why the undoing ends before its work is done.
void note_undo_failure(RunCore&, const std::exception_ptr&);
}
