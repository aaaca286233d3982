// Units that can be left out are counted first, so that a long transcript is rendered once.
#include "steps/tool_agent/transcript.hpp"
#include "steps/react/budget.hpp"

namespace weft::steps {
namespace {
using Messages = std::vector<llm::Message>;

bool begins_exchange(const llm::Message& message) { return message.role == llm::Role::user; }
bool begins_turn(const llm::Message& message) { return message.role == llm::Role::assistant; }

/// A part that can be left out: so many messages, of so many tokens.
struct Unit {
    std::size_t messages = 0, tokens = 0;
};
std::vector<Unit> units_of(const Messages& messages, bool (*begins)(const llm::Message&)) {
    std::vector<Unit> units;
    for (const auto& message : messages) {
        if (units.empty() || begins(message)) units.emplace_back();
        ++units.back().messages;
        units.back().tokens += estimate_tokens({message});
    }
    return units;
}
/// How many of the oldest units have to go, and how many messages that is.
struct Cut {
    std::size_t units = 0, messages = 0;
};
Cut cut(const std::vector<Unit>& units, std::size_t keep, std::size_t& all, std::size_t limit) {
    Cut cut;
    while (limit && all > limit && cut.units + keep < units.size()) {
        all -= units[cut.units].tokens;
        cut.messages += units[cut.units++].messages;
    }
    return cut;
}
}

FittedTranscript fit_transcript(const std::string& instructions, const Conversation& conversation,
                                const Transcript& transcript, std::size_t tokens) {
    FittedTranscript fitted;
    auto& messages = fitted.messages;
    messages.push_back(llm::instruction(instructions));
    const auto& history = conversation.history;
    const Messages run(transcript.begin() + (transcript.size() ? 1 : 0), transcript.end());
    llm::Message question = transcript.size() ? transcript[0] : llm::user(conversation.question);
    const auto exchanges = units_of(history, begins_exchange), turns = units_of(run, begins_turn);
    auto all = estimate_tokens(messages) + estimate_tokens({question}) + estimate_tokens(history) +
               estimate_tokens(run);
    const auto past = cut(exchanges, 0, all, tokens), early = cut(turns, 1, all, tokens);
    fitted.can_shorten = past.units < exchanges.size() || early.units + 1 < turns.size();
    messages.insert(messages.end(), history.begin() + static_cast<std::ptrdiff_t>(past.messages), history.end());
    messages.push_back(std::move(question));
    if (past.units) {
        auto& first = messages[1].content;
        first = left_out_note(past.units, "earlier question with its answer", "earlier questions with their answers") +
                "\n\n" + first;
    }
    if (early.units) {
        auto& asked = messages.back().content;
        asked += "\n\n" + left_out_note(early.units, "earlier reply of yours, and what came of it",
                                        "earlier replies of yours, and what came of them");
    }
    messages.insert(messages.end(), run.begin() + static_cast<std::ptrdiff_t>(early.messages), run.end());
    return fitted;
}
}
