// Reading an event from JSON skips unknown fields, because another version may have written them. In a user's input,
// however, an unknown field is a mistake.
//
//     refuse_unknown_fields(start_event(definition), input, "--input");
//     // "--input has a field ammount, which RefundEvent does not have: it has amount, order, reason"
#pragma once
#include "engine/event_json.hpp"

namespace weft::catalog {
/// Throws Error{usage}. Leaves other faults to read_event().
void refuse_unknown_fields(const EventType&, const nlohmann::json& data, const std::string& what);
/// Checks a client's data of an event in the same way. Removes a null from a field with a default that takes no null,
/// because many clients write null for an unset field. Leaves an event without a schema to read_event().
void check_input(const EventType&, nlohmann::json& data, const std::string& what);
/// The same by a JSON Schema; messages call the value `type`.
void refuse_unknown_fields(const nlohmann::json& schema, const std::string& type, const nlohmann::json& data,
                           const std::string& what);
/// Adds "additionalProperties": false to an event's schema where unknown fields are refused.
nlohmann::json closed(nlohmann::json schema);
}
