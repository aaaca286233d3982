// Makes ids for tool calls that lack one, and the ids of an agent's calls in its events.
//
//     auto id = call_ids::make(call_ids::next(request.messages));     // call00002, for servers
//     auto name = call_ids::of_turn(3, 1);                            // call_3_1, for people
#pragma once
#include "steps/models/message.hpp"
#include <cstddef>

namespace weft::models::call_ids {
/// Returns nine letters and digits, because some servers demand exactly that.
std::string make(std::size_t number);
/// Returns the number of the next call: the number of calls in the conversation, or one after the highest id made here,
/// which is more if the conversation was shortened.
std::size_t next(const std::vector<Message>&);

/// Returns the id of the only call in a turn of the model: call_3.
std::string of_turn(std::size_t turn);
/// Returns the id of one of several calls, counted from 1: call_3_1.
std::string of_turn(std::size_t turn, std::size_t place);
/// Returns the id of a call among the arguments of another call: call_3.1.
std::string of_inner(std::string_view outer, std::size_t place);
}
