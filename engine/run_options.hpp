// Options for the start of a run.
//
//     auto run = engine.start(refund, request, {.timeout = 5min, .id = "refund 17"});
#pragma once
#include "engine/json/text.hpp"
#include "engine/slot_values.hpp"
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace weft {
class Observer;  // engine/observer.hpp

struct RunOptions {
    std::optional<std::chrono::nanoseconds> timeout = {};  // limit of the whole run, more than 0; empty: none
    SlotValues slots = {};                                 // the initial slots: engine/slot_values.hpp
    /// The caller's data about its user, such as a user's id or a tenant: a JSON object of at most 16 KiB, else
    /// Error{usage}. Steps read it by Context::values(), tools by ToolContext::values(); no prompt, trace or log
    /// contains it. Children inherit it, unless they have their own. A durable run stores it, and always continues
    /// with the values of its start.
    JsonText values = {};
    std::string id = {};           // unique among live runs; empty: made from the engine's seed
    Observer* observer = nullptr;  // observes this run and its children; must outlive the run
    bool tell_idle = false;        // stream a RunIdleEvent each time the run becomes idle
    bool tell_progress = false;    // stream a RunProgressEvent when branches of fan-outs begin and settle
    /// The trace context (engine/trace_context.hpp): observers see it, children inherit it, model requests carry it.
    /// Invalid values are ignored. It is not stored: a resumed run has the one of its resumption.
    std::string traceparent = {}, tracestate = {};  // tracestate is ignored without a valid traceparent
    // For durable runs (engine/durable.hpp):
    std::string key = {};     // identifies the run within its workflow: a start with a known key gives the same run
    std::string stored = {};  // a text in the store, for listings and resumption
    std::string queue = {};   // empty: "default"
    int priority = 0;         // higher runs are claimed first
    /// The time before which no engine begins the run, by the store's clock; its timeout counts from then. Until then
    /// it waits in the store. A run that is not detached begins in its engine, unless another engine claims it first;
    /// its handle has the result in both cases. A past time means now. Error{usage} if no store keeps the run.
    std::optional<std::chrono::sys_time<std::chrono::microseconds>> not_before = {};
    /// Only the last start of a burst counts. While a run of the workflow with this key waits for its first
    /// time, a further start adds none: it replaces that run's event, options, values, queue and priority, and
    /// moves its time to its own not_before. Only Engine::enqueue returns the id of that run. Only for detached runs
    /// with not_before, without an id and a key: else Error{usage}.
    std::string debounce = {};
    /// The run begins at most this long after the first start, whose value holds; empty: 366 days, the maximum.
    std::optional<std::chrono::microseconds> debounce_longest = {};
    std::map<std::string, std::string> renames = {};  // for a resumed run: stored to present names of steps and events
    std::string forked_from = {};                     // id of the original run
    /// Only put the run into the store, as Engine::enqueue does, for any engine to claim. Await until_stored();
    /// result() throws RunError{cancelled}.
    bool detached = false;
    struct Claimed {              // the right of an engine to continue a run, from the row that Engine::claim gives
        std::uint64_t epoch = 0;  // storage::RunRow::epoch after the claim
        std::string owner;        // storage::RunRow::owner after the claim
    };
    std::optional<Claimed> claimed = {};  // epoch and owner of the run that Engine::claim gives
};
}
