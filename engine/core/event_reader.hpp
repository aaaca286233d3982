// Reads the events of stored ticks back into cells, and calls steps again with what they were given.
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
/// Of a definition; no_step if it has none of this name.
StepIndex step_named(const Definition&, const std::string& name);

/// Its index; none if the definition has none of this name.
std::optional<TypeIndex> event_named(const Definition&, std::string_view name);
/// An event read from its data, in a cell for so many consumers. Throws for what does not fit, and keeps no cell then.
Handle put_event(RunCore&, TypeIndex, const nlohmann::json& data, std::uint16_t consumers);

class StoredEventReader {
public:
    /// `run`: whose ticks these are, with the slots as the last tick of the fold has left them.
    StoredEventReader(Loop& loop, RunCore& run, const storage::History& history, const Fold& fold)
        : loop_(loop), run_(run), history_(history), fold_(fold) {}
    /// Into a cell of that run, or of one that a step is called in again, for one consumer. The event of a repeatable
    /// step is made again. Throws Error{journal} for what does not fit the present declaration.
    Handle read(RunCore& to, Handle event);
    /// A token of a running attempt at these events; `at`: which one, in a run that has none.
    Handle place(RunCore& again, StepIndex, std::span<const Handle> events, bool is_list, Handle at = 0);

private:
    const storage::StoredTick& tick(std::uint64_t seq) const;
    journal::EventRecord stored(const Origin&) const;
    nlohmann::json repeat(const Origin&, const std::string& event);
    void slots_before(std::uint64_t seq, Slots&);
    Loop& loop_;
    RunCore& run_;
    const storage::History& history_;
    const Fold& fold_;
};
}
