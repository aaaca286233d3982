// The lists of tokens are not walked, because all of them end here.
#include "engine/core/machine/ending.hpp"
#include <algorithm>

namespace weft::core {
namespace {
bool is_at_work(const Token& token) { return token.phase == TokenPhase::running || token.phase == TokenPhase::delayed; }
/// By handle: the tokens at work, and the events that they were given.
std::vector<bool> tokens_at_work(const State& state, const std::vector<Handle>& used) {
    std::vector<bool> stay(state.tokens.size());
    for (Handle h : used) {
        if (!is_at_work(state.tokens[h])) continue;
        stay[h] = true;
        for (Handle i = state.tokens[h].items; i != none; i = state.tokens[i].next) stay[i] = true;
    }
    return stay;
}
}
void abandon_all(State& state, Commands& out) {
    const auto used = state.tokens.used();
    const auto stay = tokens_at_work(state, used);
    for (Handle h : used) {
        Token& token = state.tokens[h];
        const auto phase = token.phase;
        if (is_at_work(token)) {
            token.place = {};
            if (!token.dropped) out.push_back({Command::cancel, token.step, h});
            token.dropped = true;
        } else if (!stay[h]) {
            if (phase != TokenPhase::question && token.cell != none)
                out.push_back({Command::discard, 0, none, token.cell});
            if (phase == TokenPhase::queued) --state.live;
            token.phase = TokenPhase::queued;  // an old handle sees neither a question nor a dropped token
            token.dropped = false;
            state.tokens.drop(h);
        }
    }
    for (std::uint32_t l = 0; l < state.lanes.size(); ++l) state.lanes[l].first = state.lanes[l].last = none;
    for (Handle h : state.groups.used()) state.groups.drop(h);
    state.branches.open = 0;
    state.meeting = {};
}
bool has_question(const Plan& plan, const State& state) {
    return std::any_of(state.lanes.begin() + plan.steps.size(), state.lanes.end(),
                       [](const Lane& open) { return open.first != none; });
}
}
