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
/// Checks the data of an event in the same way, as a client has written it. A null is taken out where the field has a
/// default and takes no null: many clients write one for what is not set. An event without a schema is left to
/// read_event().
void check_input(const EventType&, nlohmann::json& data, const std::string& what);
/// The same by a JSON Schema; messages call the value `type`.
void refuse_unknown_fields(const nlohmann::json& schema, const std::string& type, const nlohmann::json& data,
                           const std::string& what);
/// The schema of an event that says where unknown fields are refused: "additionalProperties": false.
nlohmann::json closed(nlohmann::json schema);
}
