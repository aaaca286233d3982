// Events and slots to JSON and back by the tables of a workflow, for code that does not know their types: a driver, a
// server, a store.
//
//     while (auto event = co_await run.next_event()) log(event->name(), to_json(*event));   // of any workflow
//     const EventType* type = find_event(definition, "OrderEvent");                         // null: it has no such
//     const auto order = read_event(*type, parse_json(text));      // "OrderEvent.count: expected an integer, got null"
//
// engine/json.hpp lists the conversions. A type without a description, or one that contains such a type, is refused
// with Error{bad_json} and its name: "OrderEvent has no JSON form: describe it with BOOST_DESCRIBE_STRUCT". There is no
// check that an object has the type of its table: the caller has to pass the right one.
#pragma once
#include "engine/core/data/slots.hpp"
#include "engine/core/machine/definition.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft {
using core::Definition;
using core::EventType;
class AnyEvent;

nlohmann::json to_json(const AnyEvent&);
/// With its fields in the order of their declaration, for people.
nlohmann::ordered_json in_declared_order(const AnyEvent&);
nlohmann::json to_json(const EventType&, const void* event);
nlohmann::json to_json(const core::SlotType&, const void* slot);
/// An event with shared ownership. Paths in error messages start with `root`, or with the event's name.
std::shared_ptr<void> read_event(const EventType&, const nlohmann::json&, std::string_view root = "");
/// Into an existing slot, which may be read in part if this throws.
void read_slot(const core::SlotType&, const nlohmann::json&, void* slot);
nlohmann::json schema(const EventType&);
/// The schema of that event, with the fields in the order of their declaration.
nlohmann::ordered_json in_declared_order(const EventType&, const nlohmann::json& schema);
/// Throws Error{bad_json} if it has no form in JSON.
void refuse_without_form(const EventType&);

/// Null if the workflow has no event of this name.
const EventType* find_event(const Definition&, std::string_view name);
const EventType& start_event(const Definition&);
const EventType& stop_event(const Definition&);

/// The workflow's questions, and which of its events answer each; then those of its children (with_child).
struct QuestionType {
    const EventType* asks;
    std::vector<const EventType*> answers;
};
std::vector<QuestionType> questions(const Definition&);
/// The workflow with one that its steps run as a child (Context::run): by this, code that knows no types learns what
/// that one asks, and answers it. The compiler cannot know, as it sees the signatures of steps only.
std::shared_ptr<const Definition> with_child(const std::shared_ptr<const Definition>& workflow,
                                             std::shared_ptr<const Definition> child);
}
