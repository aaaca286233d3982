// The ids of tool calls that have none, and those under which an agent's calls are told of.
//
//     auto id = call_ids::make(call_ids::next(request.messages));     // call00002, for servers
//     auto name = call_ids::of_turn(3, 1);                            // call_3_1, for people
#pragma once
#include "steps/models/message.hpp"
#include <cstddef>

namespace weft::models::call_ids {
/// Nine letters and digits, for there are servers that demand just that.
std::string make(std::size_t number);
/// The number of the next call: how many the conversation has, or more if a part of it was left out, for then the ids
/// that were made for those that are left go further.
std::size_t next(const std::vector<Message>&);

/// Of the only call in a turn of the model: call_3.
std::string of_turn(std::size_t turn);
/// Of one of several, counted from 1: call_3_1.
std::string of_turn(std::size_t turn, std::size_t place);
/// Of a call among the arguments of another one: call_3.1.
std::string of_inner(std::string_view outer, std::size_t place);
}
