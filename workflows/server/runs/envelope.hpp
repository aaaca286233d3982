// Events as clients see them, and events as clients send them: the envelopes of LlamaIndex's workflow server.
//
//     envelope(event)       // {"value": {...}, "qualified_name": "A", "type": "A", "types": [...]}
//     const auto sent = read_sent(body.at("event"), "event");     // {"type": ..., "value": ...}, or text of it
//
// `types` are the roles of the event, by which clients decide: StartEvent, StopEvent, InputRequiredEvent,
// HumanResponseEvent, InternalDispatchEvent; null if it has none. A question also has its id, as "question"; an event
// of a child run the id of that run and the path to it, as "run" and "path". How a run ends without a stop event is
// told by the names that LlamaIndex has for it (WorkflowFailedEvent ...).
#pragma once
#include "engine/event_json.hpp"
#include "engine/terminal.hpp"
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace weft::server {
/// Of an event's JSON. An envelope that would be longer has in place of the value a sentence that says so.
inline constexpr std::size_t most_envelope = (1 << 20) - 1024;

/// The child run that an event comes from: AnyEvent::run() and path(). The path is empty: it is no child.
struct Sender {
    std::string run;
    std::string_view path;
};
/// As json_line() writes it (engine/json/line.hpp).
std::string json_string(std::string_view);
/// In one line, too.
std::string envelope(std::string_view type, const char* role, std::string_view value,
                     QuestionId question = QuestionId::none, const Sender& sender = {});
/// The events that a run ends with when it has no stop event.
std::string envelope_of_failure(const RunFailedEvent&, std::chrono::duration<double> elapsed);
std::string envelope_of_timeout(const RunTimedOutEvent&);
std::string envelope_of_cancel();
/// The same text without `qualified_name`.
std::string without_qualified_name(std::string_view envelope);
/// Where it begins and ends in an envelope.
std::pair<std::size_t, std::size_t> find_qualified_name(std::string_view envelope);

/// An event that a client has sent.
struct SentEvent {
    std::string type;  // empty: it was not named
    nlohmann::json value = nlohmann::json::object();
    std::string question;  // empty: it was not named
};
/// A start event or an answer: an object or JSON text of one, with the data under `value` or `data`, and the id of the
/// question where envelope() has it. `bare`: an object without them is the value itself, and nothing stands for {}.
/// Without a type the last part of a qualified_name is one. In the value, `_data` has the fields that the class of a
/// Python client does not declare. Throws Error{bad_json} that begins with `what`, also for an unknown member.
SentEvent read_sent(nlohmann::json, const std::string& what, bool bare = false);

/// Of an event, with its name as title, and in the form that LlamaIndex's page reads: `type` is always one text.
nlohmann::ordered_json titled_schema(const EventType&);
}
