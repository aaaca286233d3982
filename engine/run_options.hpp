// What a run is started with.
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
    std::optional<std::chrono::nanoseconds> timeout;
    SlotValues slots;  // what it begins with: engine/slot_values.hpp
    // What the caller knows of whom it serves, such as a user's id or a tenant: a JSON object of at most 16 KiB, which
    // steps read by Context::values() and tools by ToolContext::values(). No prompt, trace or log has it. Children
    // inherit it, unless they are given values of their own. It is stored with a durable run, which always goes on with
    // those that it was started with. Error{usage} if it is no such object.
    JsonText values;
    std::string id;                // unique among live runs; empty: made from the engine's seed
    Observer* observer = nullptr;  // of this run and its children; outlives the run
    bool tell_idle = false;        // stream a RunIdleEvent each time that the run becomes idle
    bool tell_progress = false;    // stream a RunProgressEvent as branches of its fan-outs begin and settle
    // The trace that it belongs to (engine/trace_context.hpp): observers see it, children inherit it, requests to model
    // servers carry it on. What is none is ignored. It is not stored: a run that is resumed has that of its resumption.
    std::string traceparent, tracestate;
    // Of durable runs (engine/durable.hpp):
    std::string key;     // the same key of the same workflow is the same run, whenever it is started again
    std::string stored;  // kept with the run, for whoever lists it or resumes it
    std::string queue;   // empty: "default"
    int priority = 0;    // higher ones are claimed first
    std::map<std::string, std::string> renames;  // of a resumed run: what its steps and events are called now
    std::string forked_from;                     // the id of another run
    // Only put it into the store, for whoever claims it, as Engine::enqueue does: until_stored() tells when it is
    // there, and result() throws RunError{cancelled}.
    bool detached = false;
    struct Claimed {
        std::uint64_t epoch = 0;
        std::string owner;
    };
    std::optional<Claimed> claimed;  // within Engine::claim: the epoch and the owner of the run that it gave
};
}
