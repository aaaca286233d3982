// A conversation in the forms that protocols with turns want it: user and model alternate, instructions stand apart,
// arguments are JSON values. Internal to the protocols.
#pragma once
#include "steps/llm/reply_reader.hpp"
#include "steps/llm/wire.hpp"

namespace weft::llm::turns {
using wire::json;
/// All instructions, a blank line between two. Empty if that is all there is: see asks_by_instructions.
std::string system_text(const std::vector<Message>&);
/// Nobody but the instructions speaks, and every server wants a turn of the user: then they are that turn.
bool asks_by_instructions(const std::vector<Message>&);
/// The user's turn before a conversation whose beginning is lost, so that a reply does not open it.
constexpr const char* earlier = "(The conversation began earlier.)";
/// Puts what is said next into the last turn if the same role has spoken there. `parts` is an array.
void append(json& list, const char* role, const char* parts_name, json parts);
bool is_blank(std::string_view);

/// The arguments as an object. What is none is wrapped, {"INVALID_JSON": "..."}: the model sees what it has written.
json arguments_object(const std::string& arguments);
/// Throw Error{usage} for a schema that is not JSON.
json parameters_of(const ToolSpec&);
json schema_of(const ReplySchema&);

/// The message as this protocol wrote it; null if another one did, or nobody.
json native_of(const Message&, const char* protocol);
Native make_native(const char* protocol, const json&);
std::string dump(const json&);
/// Throws a Fault if there are too many calls or arguments in one reply.
void bound(const std::vector<ToolCall>&);
}
