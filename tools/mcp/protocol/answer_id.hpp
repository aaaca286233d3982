// Finds the request id of a response that cannot be read as a whole: it is too long, or no JSON.
//
//     const auto id = mcp::id_of_answer(line.begin, line.end);      // its first and last bytes, a few hundred each
//
// std::nullopt if the id is uncertain. An id deeper in a message, or in a text, is not taken for the message's id.
#pragma once
#include "tools/mcp/protocol/message.hpp"

namespace weft::tools::mcp {
std::optional<Id> id_of_answer(std::string_view begin, std::string_view end);
}
