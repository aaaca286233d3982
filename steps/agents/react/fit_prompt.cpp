// A binary search finds the number of units to leave out, since each try renders a whole prompt. A unit is an exchange,
// or a turn with all of its observations.
#include "steps/agents/react/fit_prompt.hpp"
#include <algorithm>

namespace weft::agents::inline react_steps {
namespace {
/// The first messages of a conversation's exchanges: user messages. Messages before the first belong to it.
std::vector<std::size_t> beginnings(const std::vector<models::Message>& history) {
    std::vector<std::size_t> begin;
    for (std::size_t i = 0; i < history.size(); ++i) {
        const bool asks = history[i].role == models::Role::user &&
                          (i == 0 || history[i - 1].role != models::Role::user);
        if (i == 0 || asks) begin.push_back(i);
    }
    return begin;
}
/// The first steps of a run's turns. The calls of one reply form one turn, with all of their observations.
std::vector<std::size_t> beginnings(const CurrentReasoning& reasoning) {
    std::vector<std::size_t> begin;
    for (std::size_t i = 0; i < reasoning.size(); ++i) {
        const bool observes = reasoning[i].kind == ReasoningKind::observation;
        const bool calls_on = i > 0 && reasoning[i].kind == ReasoningKind::action &&
                              reasoning[i - 1].kind == ReasoningKind::action;
        if (i == 0 || !(observes || calls_on)) begin.push_back(i);
    }
    return begin;
}
/// The number of units that begin before the place.
std::size_t begun_before(const std::vector<std::size_t>& beginnings, std::size_t place) {
    const auto after = std::lower_bound(beginnings.begin(), beginnings.end(), place);
    return static_cast<std::size_t>(after - beginnings.begin());
}
class PromptFitter {
public:
    PromptFitter(const Dialect& dialect, const PromptInput& now, const PastSummary& summary)
        : dialect_(dialect),
          now_(now),
          summary_(summary),
          exchanges_(beginnings(now.conversation.history)),
          turns_(beginnings(now.reasoning)),
          told_(begun_before(exchanges_, summary.history)),
          done_(begun_before(turns_, summary.work)) {}
    /// The number of units that the summary replaces, which are always left out.
    std::size_t least() const { return told_ + done_; }
    /// The number of units that can be left out: all exchanges, then all turns but the last.
    std::size_t most() const { return exchanges_.size() + (turns_.empty() ? 0 : turns_.size() - 1); }
    FittedPrompt without(std::size_t units) const {
        FittedPrompt fitted;
        fitted.exchanges = std::min(units, exchanges_.size());
        fitted.turns = units - fitted.exchanges;
        fitted.can_shorten = units < most();
        if (units == 0) {
            fitted.messages = dialect_.prompt(now_);
            return fitted;
        }
        const auto& history = now_.conversation.history;
        fitted.history = fitted.exchanges < exchanges_.size() ? exchanges_[fitted.exchanges] : history.size();
        fitted.work = fitted.turns ? turns_[fitted.turns] : 0;
        const auto conversation = cut_conversation(fitted);
        CurrentReasoning reasoning;
        for (auto i = fitted.work; i < now_.reasoning.size(); ++i) reasoning.push_back(now_.reasoning[i]);
        const PromptInput cut{.conversation = conversation,
                              .reasoning = reasoning,
                              .tools = now_.tools,
                              .system = now_.system,
                              .step = now_.step,
                              .max_steps = now_.max_steps,
                              .closing = now_.closing,
                              .limit = now_.limit};
        fitted.messages = dialect_.prompt(cut);
        return fitted;
    }

private:
    Conversation cut_conversation(const FittedPrompt& fitted) const {
        Conversation cut;
        const auto& history = now_.conversation.history;
        cut.history.assign(history.begin() + static_cast<std::ptrdiff_t>(fitted.history), history.end());
        cut.question = now_.conversation.question;
        const auto notes = notes_for(summary_, told_, done_, fitted);
        auto& first = cut.history.empty() ? cut.question : cut.history.front().content;
        first.insert(0, notes.before);
        cut.question += notes.after;
        return cut;
    }
    const Dialect& dialect_;
    const PromptInput& now_;
    const PastSummary& summary_;
    const std::vector<std::size_t> exchanges_, turns_;
    const std::size_t told_, done_;  // exchanges and turns that the summary replaces
};
}

FittedPrompt fit_prompt(const Dialect& dialect, const PromptInput& now, std::size_t tokens,
                        const PastSummary& summary) {
    const PromptFitter fitter(dialect, now, summary);
    auto least = fitter.least(), enough = fitter.most();
    auto fitted = fitter.without(least);
    const auto fits = [tokens](const FittedPrompt& f) { return tokens == 0 || estimate_tokens(f.messages) <= tokens; };
    if (fits(fitted) || enough <= least) return fitted;
    fitted = fitter.without(enough);
    // Invariant of the search: without `least` units the prompt does not fit, without `enough` units it does.
    while (fits(fitted) && enough - least > 1) {
        const auto middle = least + (enough - least) / 2;
        auto other = fitter.without(middle);
        if (fits(other)) enough = middle, fitted = std::move(other);
        else least = middle;
    }
    return fitted;
}
}
