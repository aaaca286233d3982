// The calls of one reply: their ids, which are made here where a server gives none, and how many there may be. Internal
// to the protocols.
//
//     call_ids::add(reply.calls, call, call_ids::next(request.messages));     // one that has come whole
//
// A call without an id gets one that no other call of the reply has. Two calls with one id are a Fault, and so are more
// calls or arguments than the bounds.
#pragma once
#include "steps/models/message.hpp"
#include <cstddef>
#include <string>
#include <vector>

namespace weft::models::call_ids {
/// The number of the next call: how many the conversation has, or more if a part of it was left out, for then the ids
/// that were made for those that are left go further.
std::size_t next(const std::vector<Message>&);
/// Nine letters and digits, for there are servers that demand just that.
std::string make(std::size_t number);
/// Whether this call is there already, to the last byte, id and all: the server has said it twice.
bool is_repeated(const std::vector<ToolCall>& calls, const ToolCall&);

/// One more that has come whole. `before`: the number of the first of these.
void add(std::vector<ToolCall>& calls, ToolCall, std::size_t before);
/// All of them at once: of those that were said twice, one is kept.
void settle(std::vector<ToolCall>& calls, std::size_t before);

// For calls that come in pieces: throw the same Fault before all of them have come.
void check_number(std::size_t calls);
void check_arguments(std::size_t bytes);  // of all calls together
}
