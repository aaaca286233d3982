// Writes a tick, an event and the slots of a live run as journal records, by names.
#pragma once
#include "engine/core/data/slots.hpp"
#include "engine/core/machine/reducer.hpp"
#include "engine/error.hpp"
#include "engine/store.hpp"
#include "engine/text/hex.hpp"
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

/// Call it before the reducer takes the tick. Throws the errors of stored_name(), and Error{bad_json} for data without
/// a JSON form. Leaves out slots in memory only.
journal::TickRecord record_tick(const RunCore&, const Tick&, const Slots* edits, std::int64_t now_us);
/// An event of the run as a tick contains it, with its data; and all slots with their whole values, by name.
journal::EventRecord record_event(const RunCore&, Handle cell);
std::map<std::string, nlohmann::json> record_slots(const RunCore&);
/// Microseconds since 1970, by the clock of the run's loop, or of a shared store.
std::int64_t wall_us(const RunCore&);
/// The common prefix of the paths of an attempt's children.
std::string child_prefix(std::uint64_t born, Handle token, unsigned attempt);
using weft::hex;
Code code_named(const std::string&);  // step_failed for an empty name
/// The stored outcome of an ended run: its last event.
std::string outcome_of(const RunCore&);
}
