// The calls of one reply: each gets an id if the server gave it none, and there are not too many. Internal to the
// protocols.
//
//     reply_calls::add(reply.calls, call, call_ids::next(request.messages));     // one that has come whole
//
// A call without an id gets one that no other call of the reply has. Two calls with one id are a Fault, and so are more
// calls or arguments than the bounds.
#pragma once
#include "steps/models/call_ids.hpp"

namespace weft::models::reply_calls {
/// Whether this call is there already, to the last byte, id and all: the server has sent it twice.
bool is_repeated(const std::vector<ToolCall>& calls, const ToolCall&);

/// One more that has come whole. `before`: the number of the first of these.
void add(std::vector<ToolCall>& calls, ToolCall, std::size_t before);
/// All of them at once: of those that the server has sent twice, one is kept.
void assign_ids_and_drop_repeats(std::vector<ToolCall>& calls, std::size_t before);

// For calls that come in pieces: throw the same Fault before all of them have come.
void check_number(std::size_t calls);
void check_arguments(std::size_t bytes);  // of all calls together
}
