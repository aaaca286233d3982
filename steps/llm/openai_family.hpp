// What OpenAI's two protocols have in common: what their models take, and how. Internal to them.
#pragma once
#include "steps/llm/wire.hpp"

namespace weft::llm::openai {
/// One that reasons before it answers. It refuses stop sequences, and counts its thoughts among the tokens it may
/// write.
bool is_reasoning_model(std::string_view name);
/// Whether a schema keeps to what strict mode takes: every object says additionalProperties false and requires all of
/// its properties, and no keyword is used that strict mode does not know.
bool is_strict(const wire::json& schema);
/// name, schema and strict, as both protocols have them. Throws Error{usage} for a schema that is not JSON.
wire::json reply_form(const ReplySchema&);
/// Arguments that may be sent back. Servers that fill them into a prompt by a template read them, and refuse the whole
/// conversation if they are no JSON object: what is none is put into one.
std::string sendable_arguments(const std::string& arguments);
/// An id for a call that came without one: nine letters and digits, for there are servers that demand just that.
std::string made_up_id(std::size_t number);
/// How many calls a conversation has: the next one's number.
std::size_t count_calls(const std::vector<Message>&);
/// Throws a Fault if there are too many calls or arguments, or two calls with one id. Of calls that are the same to the
/// last byte, id and all, one is kept. Calls without an id get one, of which `first` is the first number.
void settle(std::vector<ToolCall>& calls, std::size_t first);
constexpr std::size_t most_calls = 128, longest_arguments = 1 << 20;  // of all calls together
}
