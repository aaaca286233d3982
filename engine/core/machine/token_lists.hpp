// Lists of kept tokens, linked by Token::next.
#pragma once
#include "engine/core/machine/state.hpp"
#include <algorithm>
#include <vector>

namespace weft::core {
/// Moves this step's tokens out of the list, and returns them as a list. `recoveries` rises to the highest of them.
inline Handle take_tokens(State& state, Handle& list, StepIndex step, std::uint8_t& recoveries) {
    Handle taken = none, *end = &taken, *rest = &list;
    for (Handle h = list; h != none;) {
        Token& t = state.tokens[h];
        const Handle next = t.next;
        if (t.step == step) {
            recoveries = std::max(recoveries, t.recoveries);
            *end = h;
            end = &t.next;
        } else {
            *rest = h;
            rest = &t.next;
        }
        h = next;
    }
    *rest = none;
    *end = none;
    return taken;
}
/// Sorts a list that has a token in fan-out order, and returns its first one.
inline Handle sorted_tokens(State& state, Handle first) {
    std::vector<Handle> all;
    for (Handle h = first; h != none; h = state.tokens[h].next) all.push_back(h);
    std::stable_sort(all.begin(), all.end(),
                     [&](Handle a, Handle b) { return state.tokens[a].place.index < state.tokens[b].place.index; });
    for (std::size_t i = 0; i < all.size(); ++i) state.tokens[all[i]].next = i + 1 < all.size() ? all[i + 1] : none;
    return all.front();
}
}
