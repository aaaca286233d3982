// Makes ids for tool calls that came without one, and the ids under which an agent's calls stand in its events.
//
//     auto id = call_ids::make(call_ids::next(request.messages));     // call00002, for servers
//     auto name = call_ids::of_turn(3, 1);                            // call_3_1, for people
#pragma once
#include "steps/models/message.hpp"
#include <cstddef>

namespace weft::models::call_ids {
/// Nine letters and digits, because some servers demand just that.
std::string make(std::size_t number);
/// The number of the next call: how many the conversation has, or one after the highest id made here, which is more
/// if a part of the conversation was left out.
std::size_t next(const std::vector<Message>&);

/// Of the only call in a turn of the model: call_3.
std::string of_turn(std::size_t turn);
/// Of one of several, counted from 1: call_3_1.
std::string of_turn(std::size_t turn, std::size_t place);
/// Of a call among the arguments of another one: call_3.1.
std::string of_inner(std::string_view outer, std::size_t place);
}
