// Converts events and slots to and from JSON by the tables of a workflow, for code without their types: a driver, a
// server, a store.
//
//     while (auto event = co_await run.next_event()) log(event->name(), to_json(*event));   // of any workflow
//     const EventType* type = find_event(definition, "OrderEvent");                         // null: no such event
//     const auto order = read_event(*type, parse_json(text));      // "OrderEvent.count: expected an integer, got null"
//
// engine/json.hpp lists the conversions. A type that has or contains a type without a description throws
// Error{bad_json}: "OrderEvent has no JSON form: describe it with BOOST_DESCRIBE_STRUCT". The `void*` is unchecked: the
// caller must pass an object of the given type.
#pragma once
#include "engine/core/data/slots.hpp"
#include "engine/core/machine/definition.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft {
using core::Definition;
using core::EventType;
class AnyEvent;

nlohmann::json to_json(const AnyEvent&);
/// The fields are in the order of their declaration, for people.
nlohmann::ordered_json in_declared_order(const AnyEvent&);
nlohmann::json to_json(const EventType&, const void* event);
nlohmann::json to_json(const core::SlotType&, const void* slot);
/// Returns an event with shared ownership. Paths in error messages start with `root`, or with the event's name.
std::shared_ptr<void> read_event(const EventType&, const nlohmann::json&, std::string_view root = "");
/// Reads into an existing slot, which may be partly changed if this throws.
void read_slot(const core::SlotType&, const nlohmann::json&, void* slot);
/// The JSON Schema of the event. Throws Error{bad_json} if the event has no JSON form.
nlohmann::json schema(const EventType&);
/// The schema of the event, with the fields in the order of their declaration.
nlohmann::ordered_json in_declared_order(const EventType&, const nlohmann::json& schema);
/// Throws Error{bad_json} if the event has no JSON form.
void refuse_without_form(const EventType&);

/// Null if the workflow has no event of this name.
const EventType* find_event(const Definition&, std::string_view name);
const EventType& start_event(const Definition&);  // the type of the event that begins a run
const EventType& stop_event(const Definition&);   // the type of the event that ends a run

/// The workflow's questions with the events that answer each, then its children's questions (with_child).
struct QuestionType {
    const EventType* asks;                  // the question; valid as long as the definition
    std::vector<const EventType*> answers;  // the events that answer it
};
/// Lists each question once; the workflow's own come first.
std::vector<QuestionType> questions(const Definition&);
/// The workflow together with a child workflow that its steps run (Context::run): code without types then knows the
/// child's questions and answers. The compiler cannot add it, because it sees only the signatures of steps.
std::shared_ptr<const Definition> with_child(const std::shared_ptr<const Definition>& workflow,
                                             std::shared_ptr<const Definition> child);
}
