// A conversation in the forms that protocols with turns want it: user and model alternate, instructions stand apart,
// arguments are JSON values. Internal to the protocols.
#pragma once
#include "steps/models/protocols/reply_reader.hpp"
#include "steps/models/protocols/wire.hpp"
#include <functional>

namespace weft::models::turns {
using wire::json;
/// All instructions, a blank line between two. Empty if that is all there is: see has_only_instructions.
std::string system_text(const std::vector<Message>&);
/// Whether all messages are instructions. Every server wants a turn of the user, so they become that turn then.
bool has_only_instructions(const std::vector<Message>&);
/// The parts that a message of one role becomes: an array.
using Parts = std::function<json(const Message&)>;
/// The conversation as turns of the user and the `model`, as it is called here: messages of one side in a row become
/// one. `from_model` writes messages of the model, `to_model` all others; instructions are left out. If the beginning
/// of the conversation is lost, so that it would begin with the model, a turn of the user says so.
json write(const std::vector<Message>&, const char* model, const char* parts_name, const Parts& from_model,
           const Parts& to_model);
bool is_blank(std::string_view);

/// Arguments that a server gives as a text, or as an object; none is empty.
std::string arguments_text(const json&);
/// The arguments as an object. What is none is wrapped, {"INVALID_JSON": "..."}: the model sees what it has written.
json arguments_object(const std::string& arguments);
/// Throw Error{usage} for a schema that is not JSON.
json parameters_of(const ToolSpec&);
json schema_of(const ReplySchema&);

/// The message as this protocol wrote it; null if another one did, or nobody.
json native_of(const Message&, const char* protocol);
Native make_native(const char* protocol, const json&);
std::string dump(const json&);
}
