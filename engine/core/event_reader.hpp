// Reads the events of stored ticks back into cells, and calls repeatable steps again with their former input.
#pragma once
#include "engine/core/fold.hpp"
#include "engine/core/loop/run_core.hpp"
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>

namespace weft::journal {
struct EventRecord;
}
namespace weft::core {
/// The index of a step; no_step if the definition has no step of this name.
StepIndex step_named(const Definition&, const std::string& name);

/// The index of an event; empty if the definition has no event of this name.
std::optional<TypeIndex> event_named(const Definition&, std::string_view name);
/// Reads an event from its data into a cell with so many consumers. Throws if the data does not fit, and then leaves no
/// cell.
Handle put_event(RunCore&, TypeIndex, const nlohmann::json& data, std::uint16_t consumers);

class StoredEventReader {
public:
    /// `run`: the run of these ticks; its slots are at the state after the fold's last tick.
    StoredEventReader(LoopCore& loop, RunCore& run, const storage::History& history, const Fold& fold)
        : loop_(loop), run_(run), history_(history), fold_(fold) {}
    /// Reads an event into a cell of `to`, for one consumer; `to` is the run, or one for a repeated call. Calls a
    /// repeatable step again for its event. Throws Error{journal} for data that does not fit the present declaration.
    Handle read(RunCore& to, Handle event);
    /// A token of a running attempt with these events; `at`: its handle, in a run without tokens.
    Handle place(RunCore& again, StepIndex, std::span<const Handle> events, bool is_list, Handle at = 0);

private:
    const storage::StoredTick& tick(std::uint64_t seq) const;
    journal::EventRecord stored(const Origin&) const;
    nlohmann::json repeat(const Origin&, const std::string& event);
    void slots_before(std::uint64_t seq, Slots&);
    LoopCore& loop_;
    RunCore& run_;
    const storage::History& history_;
    const Fold& fold_;
};
}
