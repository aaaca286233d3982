// A workflow, erased: names, function pointers, tables of small integers. This is all that the loop knows of it.
#pragma once
#include "engine/core/graph/policy.hpp"
#include "engine/core/machine/reducer.hpp"
#include <memory>
#include <string>
#include <string_view>

namespace weft::json_detail {
struct Shape;  // how a described value is written and read: engine/json/shape.hpp
}
namespace weft::core {
class StepCall;
class WaitingCall;
class RunCore;
struct Published;

struct EventType {
    std::string_view name;
    const void* id;  // of the C++ type
    bool is_start;
    void (*destroy)(void*);                        // null if there is nothing to do
    void (*publish)(RunCore&, void*, QuestionId);  // of a question: moves it out, and tells it
    Published* (*box)(const void*);                // of a stop event: copies it
    Emitted (*put)(RunCore&, TypeIndex, void*);    // of one that comes from outside: moves it into a cell of the run
    const json_detail::Shape* shape;               // null without a description
    void (*complete)(void*);                       // of one that was read: adds what JSON does not hold; or null
};
struct StepType {
    std::string_view name;
    void (*call)(StepCall&);        // of a step that never waits, else null
    bool (*start)(WaitingCall&);    // of a step that may wait: true if it ended at once
    void (*collect)(WaitingCall&);  // emits what a waiting step returned, or throws what it threw
    Emitted (*put_failure)(StepCall&,
                           StepFailedEvent&&);  // into a cell, as its handler accepts it; null without a handler
    std::uint16_t first_resource;
    bool timed;    // has a policy or a handler that reads the clock
    bool watched;  // does not take the short path: it is timed, or may be cancelled by a collector
    Policy policy;
};
struct SlotType;
/// What a workflow needs to have durable runs.
struct DurableForm {
    std::vector<const SlotType*> slots;  // that its steps may edit
    std::string plan, hash;              // engine/core/stored_plan.hpp
};
struct Edge {
    std::string_view step, event;
    bool emits, many;
    bool joins = false;       // the step waits for others of its events too
    std::uint32_t first = 0;  // the step collects the first n
    bool fails = false;       // the event is the step's failure, on its way to a handler that does not take all of them
};

struct Definition {
    std::string_view name;
    const void* type = nullptr;   // of the workflow's declaration
    std::uint32_t most_runs = 0;  // that go on at once in one engine; 0: as many as there are
    std::vector<EventType> events;
    std::vector<StepType> steps;
    std::vector<void*> resources;  // flat; a step's begin at its first_resource
    std::vector<Edge> edges;
    Plan plan;
    std::uint32_t cell_size = 0;
    std::shared_ptr<const DurableForm> durable;  // null: its runs are not stored
    /// Workflows that its steps run as children, whose questions are answered by JSON too: with_child().
    std::vector<std::shared_ptr<const Definition>> children;
};
}
