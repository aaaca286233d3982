// Writes two texts side by side, each under its title, in `columns` columns together:
//
//     without the agent       | with the agent
//     ------------------------+-----------------------
//     about 18,544            | 18527.424242424244
//
// Both are neutralised (steps/view/neutralise.hpp) and wrapped (steps/view/wrap.hpp).
#pragma once
#include <string>

namespace weft::view {
struct Side {
    std::string title, text;
};
std::string side_by_side(const Side& left, const Side& right, std::size_t columns = 100);
}
