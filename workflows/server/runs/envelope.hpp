// Events as clients get and send them: the envelopes of LlamaIndex's workflow server.
//
//     envelope(event)       // {"value": {...}, "qualified_name": "A", "type": "A", "types": [...]}
//     const auto sent = read_sent(body.at("event"), "event");     // {"type": ..., "value": ...}, or its JSON text
//
// `types` has the roles of the event, which clients switch on: StartEvent, StopEvent, InputRequiredEvent,
// HumanResponseEvent, InternalDispatchEvent; null without a role. A question also has its id, as "question". An event
// of a child run also has that run's id and path, as "run" and "path". A run without a stop event ends with
// LlamaIndex's event for it (WorkflowFailedEvent ...).
#pragma once
#include "engine/event_json.hpp"
#include "engine/terminal.hpp"
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace weft::server {
/// Maximum bytes of an event's JSON. The envelope of a longer event has an explanation in place of the value.
inline constexpr std::size_t most_envelope = (1 << 20) - 1024;

/// The child run that emitted an event: AnyEvent::run() and path(). An empty path is the root's.
struct ChildSender {
    std::string run;
    std::string_view path;
};
/// Quotes a text as json_line() does (engine/json/line.hpp).
std::string json_string(std::string_view);
/// The JSON of an envelope in one line; `value` is JSON in one line.
std::string envelope(std::string_view type, const char* role, std::string_view value,
                     QuestionId question = QuestionId::none, const ChildSender& sender = {});
/// The last event of a run without a stop event. `elapsed`: time since the run's start.
std::string envelope_of_ending(const AnyEvent&, std::chrono::duration<double> elapsed);
/// Begin and end of `qualified_name` in an envelope; both are its size if the member is missing.
std::pair<std::size_t, std::size_t> find_qualified_name(std::string_view envelope);

/// An event that a client has sent.
struct SentEvent {
    std::string type;  // empty if the client did not send it
    nlohmann::json value = nlohmann::json::object();
    std::string question;  // empty if the client did not send it
};
/// Reads a start event or an answer: an object or its JSON text, with the fields under `value` or `data`, and the id
/// of the question under `question`. `bare` also accepts an object that is itself the value, and an empty text as {}.
/// A missing `type` is the last part of `qualified_name`. Fields under the value's `_data` join the other fields.
/// Throws Error{bad_json} whose sentence begins with `what`, also for an unknown member.
SentEvent read_sent(nlohmann::json, const std::string& what, bool bare = false);

/// The schema of an event, with its name as title. LlamaIndex's page requires that each `type` is one text.
nlohmann::ordered_json titled_schema(const EventType&);
}
