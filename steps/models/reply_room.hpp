// Reserves room for a reply that arrives in pieces, which saves the growths from nothing to a usual length.
#pragma once
#include <algorithm>
#include <string>

namespace weft::models {
inline void reserve_reply(std::string& empty, std::size_t first_piece) {
    constexpr std::size_t usual_reply = 512;
    empty.reserve(std::max(usual_reply, first_piece));
}
}
