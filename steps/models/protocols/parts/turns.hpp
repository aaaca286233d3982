// Writes a conversation for protocols with turns: user and model alternate, instructions are separate, arguments are
// JSON values. Internal to the protocols.
#pragma once
#include "steps/models/protocols/wire/wire.hpp"
#include <functional>

namespace weft::models::turns {
using wire::json;
/// Returns all instructions, separated by blank lines. The caller checks has_only_instructions first.
std::string system_text(const std::vector<Message>&);
/// True if all messages are instructions. Every server requires a user's turn, so they become that turn.
bool has_only_instructions(const std::vector<Message>&);
/// Returns the parts of a message: an array.
using PartsWriter = std::function<json(const Message&)>;
/// Returns the conversation as turns of the user and of `model`, the protocol's word: consecutive messages of one side
/// become one turn. `from_model` writes the model's messages, `to_model` all others; instructions are omitted. If the
/// conversation begins with the model, because its beginning is lost, a user's turn says so.
json write(const std::vector<Message>&, const char* model, const char* parts_name, const PartsWriter& from_model,
           const PartsWriter& to_model);
bool is_blank(std::string_view);

/// Returns arguments that a server sent as a text or an object; empty for null.
std::string arguments_text(const json&);
/// Returns the arguments as an object; wraps others, {"INVALID_JSON": "..."}, so that the model sees its text.
json arguments_object(const std::string& arguments);
/// Throw Error{usage} for a schema that is not a JSON object.
json parameters_of(const ToolSpec&);
json schema_of(const ReplySchema&);

/// Returns the message in this protocol's native form; null if it has none.
json native_of(const Message&, const char* protocol);
Native make_native(const char* protocol, const json&);
std::string dump(const json&);
}
