// A type-erased workflow: names, function pointers, tables of small integers. The loop knows nothing else about it.
#pragma once
#include "engine/core/graph/policy.hpp"
#include "engine/core/machine/reducer.hpp"
#include <memory>
#include <string>
#include <string_view>

namespace weft::json_detail {
struct Shape;  // describes JSON reading and writing: engine/json/shape.hpp
}
namespace weft::core {
class StepCall;
class WaitingCall;
class RunCore;
struct Published;

struct EventType {
    std::string_view name;
    const void* id;  // identifies the C++ type
    bool is_start;
    void (*destroy)(void*) = nullptr;                        // null for a trivial destructor
    void (*publish)(RunCore&, void*, QuestionId) = nullptr;  // for a question: moves it out and publishes it
    Published* (*box)(const void*) = nullptr;                // for a stop event: copies it
    Emitted (*put)(RunCore&, TypeIndex, void*) = nullptr;  // for an event from outside: moves it into a cell of the run
    const json_detail::Shape* shape = nullptr;             // null without a description
    void (*complete)(void*) = nullptr;  // restores members that JSON lacks, after reading; may be null
};
struct StepType {
    std::string_view name;
    void (*call)(StepCall&);        // for a step that never waits, else null
    bool (*start)(WaitingCall&);    // for a step that may wait; true: it ended immediately
    void (*collect)(WaitingCall&);  // emits a waiting step's result, or throws its exception
    Emitted (*put_failure)(StepCall&,
                           StepFailedEvent&&);  // fills a cell of the handler's type; null: no handler
    std::uint16_t first_resource;
    bool timed;    // its policy or handler reads the clock
    bool watched;  // no short path: it is timed, or its branch may be cancelled
    Policy policy;
};
struct SlotType;
/// The data that a workflow needs for durable runs.
struct DurableForm {
    std::vector<const SlotType*> slots;  // the listed types, which precede others with their names
    std::string plan, hash;              // engine/core/stored_plan.hpp
};
struct Edge {
    std::string_view step, event;
    bool emits, many;
    bool joins = false;       // true for a join, which also needs other events
    std::uint32_t first = 0;  // quorum of a collector
    bool fails = false;       // the event is the step's failure, and its handler does not take all failures
};

struct Definition {
    std::string_view name;
    const void* type = nullptr;   // identifies the workflow's type
    std::uint32_t most_runs = 0;  // maximum number of concurrent runs in an engine; 0: no limit
    std::vector<EventType> events;
    std::vector<StepType> steps;
    std::vector<void*> resources;  // flat; a step's resources begin at its first_resource
    std::vector<Edge> edges;
    Plan plan;
    TypeIndex ending = no_type;  // type of the undo step's event; no_type: there is no undo step
    /// Whether invocations may be cancelled before the end of the run, so that it keeps track of their work.
    bool cancels_branches() const { return plan.has_first || ending != no_type; }
    std::uint32_t cell_size = 0;
    std::shared_ptr<const DurableForm> durable;  // null: its runs are never stored
    /// Child workflows of its steps, so that JSON can answer their questions too: with_child().
    std::vector<std::shared_ptr<const Definition>> children;
};
/// Whether the tick gives the undo step its event.
inline bool begins_ending(const Definition& d, const Tick& tick) {
    return !tick.events.empty() && tick.events.front().type == d.ending;
}
}
