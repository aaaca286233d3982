// Finds the question that an answer belongs to. Open questions are in one list per type, so a search skips other types.
#include "engine/core/machine/questions.hpp"
#include <algorithm>

namespace weft::core {
Handle answered_question(const Plan& plan, const State& state, TypeIndex response, QuestionId id) {
    const TypeIndex answers = plan.events[response].answers;
    const auto fits = [&](const EventPlan& e, std::size_t type) {
        return e.role == EventRole::request && (answers == any_question ? !e.paired : answers == type);
    };
    if (answers == no_type || answers == signals) return none;
    if (id != QuestionId::none) {
        const auto h = Handle(std::uint64_t(id));
        if (h >= state.tokens.size() || state.tokens[h].phase != TokenPhase::question) return none;
        const Token& question = state.tokens[h];
        return question_id(h, question.items) == id && fits(plan.events[question.step], question.step) ? h : none;
    }
    if (answers != any_question) return state.lanes[plan.events[answers].lane].first;
    Handle oldest = none;
    for (std::size_t type = 0; type < plan.events.size(); ++type) {  // a linear search: the types are few
        if (!fits(plan.events[type], type)) continue;
        const Handle h = state.lanes[plan.events[type].lane].first;
        if (h != none && (oldest == none || state.tokens[h].items < state.tokens[oldest].items)) oldest = h;
    }
    return oldest;
}
std::vector<Handle> open_questions(const Plan& plan, const State& state, std::size_t most) {
    std::vector<Handle> all;
    for (auto& type : plan.events) {
        if (type.role != EventRole::request) continue;
        std::size_t n = 0;
        for (Handle h = state.lanes[type.lane].first; h != none && n < most; h = state.tokens[h].next, ++n)
            all.push_back(h);
    }
    std::sort(all.begin(), all.end(),
              [&](Handle a, Handle b) { return state.tokens[a].items < state.tokens[b].items; });
    if (all.size() > most) all.resize(most);
    return all;
}
}
