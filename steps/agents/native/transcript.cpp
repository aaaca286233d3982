// The tokens of each unit that can be left out are counted first, so that a long transcript is rendered once.
#include "steps/agents/native/transcript.hpp"

namespace weft::agents::inline native_steps {
namespace {
using TranscriptMessages = std::vector<models::Message>;

bool begins_exchange(const models::Message& message) { return message.role == models::Role::user; }
bool begins_turn(const models::Message& message) { return message.role == models::Role::assistant; }

/// A part that can be left out: its messages, and their tokens.
struct Unit {
    std::size_t messages = 0, tokens = 0;
};
std::vector<Unit> units_of(const TranscriptMessages& messages, bool (*begins)(const models::Message&)) {
    std::vector<Unit> units;
    for (const auto& message : messages) {
        if (units.empty() || begins(message)) units.emplace_back();
        ++units.back().messages;
        units.back().tokens += estimate_tokens({message});
    }
    return units;
}
/// The number of the oldest units to leave out, and of their messages.
struct TranscriptCut {
    std::size_t units = 0, messages = 0;
    void take(const Unit& unit, std::size_t& all) {
        all -= unit.tokens;
        messages += unit.messages;
        ++units;
    }
};
/// The units of the first `messages`, which a summary replaces.
TranscriptCut summarised(const std::vector<Unit>& units, std::size_t messages, std::size_t& all) {
    TranscriptCut cut;
    while (cut.units < units.size() && cut.messages < messages) cut.take(units[cut.units], all);
    return cut;
}
void cut_more(TranscriptCut& cut, const std::vector<Unit>& units, std::size_t keep, std::size_t& all,
              std::size_t limit) {
    while (limit && all > limit && cut.units + keep < units.size()) cut.take(units[cut.units], all);
}
}

Transcript with_notes(const Transcript& transcript, const BudgetNotes& notes) {
    if (notes.empty()) return transcript;
    Transcript noted;
    auto note = notes.begin();
    for (auto message : transcript) {
        for (; note != notes.end() && note->after <= noted.size(); ++note)
            if (note->after == noted.size()) message.content += "\n\nNote: " + note->text;
        noted.push_back(std::move(message));
    }
    return noted;
}
FittedPrompt fit_transcript(const std::string& instructions, const Conversation& conversation,
                            const Transcript& transcript, std::size_t tokens, const PastSummary& summary) {
    FittedPrompt fitted;
    auto& messages = fitted.messages;
    messages.push_back(models::instruction(instructions));
    const auto& history = conversation.history;
    const TranscriptMessages run(transcript.begin() + (transcript.size() ? 1 : 0), transcript.end());
    models::Message question = transcript.size() ? transcript[0] : models::user(conversation.question);
    const auto exchanges = units_of(history, begins_exchange), turns = units_of(run, begins_turn);
    auto all = estimate_tokens(messages) + estimate_tokens({question}) + estimate_tokens(history) +
               estimate_tokens(run);
    auto past = summarised(exchanges, summary.history, all), early = summarised(turns, summary.work, all);
    const auto told = past.units, done = early.units;
    if (told + done) all += estimate_tokens({models::user(summary_passage(summary, told, done))});
    cut_more(past, exchanges, 0, all, tokens);
    cut_more(early, turns, 1, all, tokens);
    fitted.can_shorten = past.units < exchanges.size() || early.units + 1 < turns.size();
    fitted.exchanges = past.units;
    fitted.turns = early.units;
    fitted.history = past.messages;
    fitted.work = early.messages;
    messages.insert(messages.end(), history.begin() + static_cast<std::ptrdiff_t>(past.messages), history.end());
    messages.push_back(std::move(question));
    const auto notes = notes_for(summary, told, done, fitted);
    messages[1].content.insert(0, notes.before);
    messages.back().content += notes.after;
    messages.insert(messages.end(), run.begin() + static_cast<std::ptrdiff_t>(early.messages), run.end());
    return fitted;
}
}
