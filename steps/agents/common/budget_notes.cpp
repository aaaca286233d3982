// A note joins the step before it, and the dialects write it after the step's text.
#include "steps/agents/common/budget_notes.hpp"

namespace weft::agents {
void note_what_is_left(Context& ctx, const Budget& budget, std::size_t after, int requests) {
    const auto& progress = ctx.get<Progress>();
    if (progress.closing) return;
    auto left = what_is_left(budget, progress.spent, requests);
    if (left.empty() || (!progress.notes.empty() && progress.notes.back().after == after)) return;
    ctx.edit<Progress>([&](auto& now) { now.notes.push_back({after, std::move(left)}); });
}
CurrentReasoning with_notes(const CurrentReasoning& reasoning, const BudgetNotes& notes) {
    if (notes.empty()) return reasoning;  // shares the items
    CurrentReasoning noted;
    auto note = notes.begin();
    for (auto step : reasoning) {
        for (; note != notes.end() && note->after <= noted.size() + 1; ++note)
            if (note->after == noted.size() + 1) (step.note += step.note.empty() ? "" : " ") += note->text;
        noted.push_back(std::move(step));
    }
    return noted;
}
Conversation with_notes(Conversation conversation, const BudgetNotes& notes) {
    if (!notes.empty() && notes.front().after == 0) conversation.question += "\n\nNote: " + notes.front().text;
    return conversation;
}
}
