// A tick, an event and the slots of a live run as records of its journal: by names.
#pragma once
#include "engine/core/data/slots.hpp"
#include "engine/core/machine/reducer.hpp"
#include "engine/error.hpp"
#include "engine/store.hpp"
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::journal {
struct EventRecord;
struct TickRecord;
}
namespace weft::core {
class RunCore;
struct Track;

/// Before the reducer takes it. Throws Error{usage} for an edit of a slot that is not listed, and Error{bad_json} for
/// what cannot be written.
journal::TickRecord record_tick(const RunCore&, const Tick&, const Slots* edits, std::int64_t now_us);
/// An event of the run as a tick has it, with its data, and all slots with their whole values, by name.
journal::EventRecord record_event(const RunCore&, Handle cell);
std::map<std::string, nlohmann::json> record_slots(const RunCore&);
/// Microseconds since 1970, by the clock of the run's loop, or by that of a store that it shares with others.
std::int64_t wall_us(const RunCore&);
/// How the paths of all children begin that an attempt runs.
std::string child_prefix(std::uint64_t born, Handle token, unsigned attempt);
std::string hex(std::uint64_t);  // 16 digits
std::string snake_case(std::string_view type_name);
Code code_named(const std::string&);  // step_failed for an empty name
/// What a run that has ended leaves: its last event.
std::string outcome_of(const RunCore&);
}
