// Seals a state that a client keeps for the server between two calls: clients cannot forge it, and it is valid only for
// its call and caller, for a limited time.
//
//     const StateSeal seal;
//     const auto text = seal.close(state, purpose, until);
//     if (const auto state = seal.open(text, purpose, now)) use(*state);       // std::nullopt: forged or too old
//
// A sealed state is not encrypted: the client can read it. Each Seal has its own key, so no state can be opened
// after the end of the program. A Seal is immutable, so any thread may use it.
#pragma once
#include "engine/clock.hpp"
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace weft::mcp_server {
class StateSeal {
public:
    StateSeal();  // throws Error{configuration} without random numbers
    std::string close(std::string_view state, std::string_view purpose, WallTime until) const;
    std::optional<std::string> open(std::string_view sealed, std::string_view purpose, WallTime now) const;

private:
    std::string mark(std::string_view sealed, std::string_view purpose) const;
    std::array<unsigned char, 32> key_;
};
}
