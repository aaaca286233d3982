// Continues the ids from the highest one made for the conversation, so that each id is unique in it.
#include "steps/models/call_ids.hpp"
#include <algorithm>

namespace weft::models::call_ids {
namespace {
/// Returns the number in an id of make(); -1 for any other id, and for 99999, after which the numbers start again.
std::size_t number_of(std::string_view id) {
    constexpr auto none = static_cast<std::size_t>(-1);
    if (id.size() != 9 || !id.starts_with("call")) return none;
    std::size_t number = 0;
    for (const char c : id.substr(4)) {
        if (c < '0' || c > '9') return none;
        number = 10 * number + static_cast<std::size_t>(c - '0');
    }
    return number == 99999 ? none : number;
}
}

std::string make(std::size_t number) {
    const auto digits = std::to_string(number % 100000);
    return "call" + std::string(5 - digits.size(), '0') + digits;
}
std::size_t next(const std::vector<Message>& messages) {
    std::size_t calls = 0, free = 0;
    for (const auto& message : messages)
        for (const auto& call : message.calls) {
            ++calls;
            free = std::max(free, number_of(call.id) + 1);
        }
    return std::max(calls, free);
}
std::string of_turn(std::size_t turn) { return "call_" + std::to_string(turn); }
std::string of_turn(std::size_t turn, std::size_t place) { return of_turn(turn) + "_" + std::to_string(place); }
std::string of_inner(std::string_view outer, std::size_t place) {
    return std::string(outer) + "." + std::to_string(place);
}
}
