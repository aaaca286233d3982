// An answer reports the tokens of its whole run, so its entry gets the tokens that no other entry has.
#include "steps/view/trace.hpp"
#include "engine/run.hpp"
#include "steps/agents/reflect/events.hpp"
#include "steps/view/entry_text.hpp"
#include <algorithm>

namespace weft::view {
Trace::Trace(const std::string& question, const Clock& clock) : clock_(clock), begun_(clock.now()) {
    entries_.emplace_back().text = question;
}
std::span<const TraceEntry> Trace::on(const AnyEvent& event) {
    count_turn(event);
    auto said = react_entries(event);
    if (said.empty()) said = reflect_entries(event);
    if (said.empty()) said = ending_entries(event);
    if (said.empty()) said = other_entries(event);
    close_account(event, said);
    const auto before = entries_.size();
    const auto seconds = std::chrono::duration<double>(clock_.now() - begun_).count();
    for (auto& entry : said) {
        if (entry.kind == TraceKind::event) entry.text = shortened(entry.text, EntryLook().longest_observation);
        entry.seconds = seconds;
        entry.step = turns_[entry.sub_question];
        entries_.push_back(std::move(entry));
    }
    return std::span<const TraceEntry>(entries_).subspan(before);
}
void Trace::count_turn(const AnyEvent& event) {
    if (const auto* turn = event.get_if<agents::TurnEvent>()) turns_[0] = turn->step ? turn->step : turns_[0] + 1;
    else if (const auto* reflects = event.get_if<agents::ReflectionEvent>()) ++turns_[reflects->sub_question];
}
/// Gives the answer's entry the tokens of its own turn: the rest of the run's.
void Trace::close_account(const AnyEvent& event, TraceEntries& said) {
    const auto* answer = event.get_if<agents::AnswerEvent>();
    if (!answer) return;
    auto rest = answer->usage;
    using models::Usage;
    for (const auto tokens : {&Usage::prompt_tokens, &Usage::completion_tokens, &Usage::cached_tokens,
                              &Usage::reasoning_tokens, &Usage::cache_written_tokens}) {
        for (const auto& entry : entries_) rest.*tokens -= entry.usage.*tokens;
        rest.*tokens = std::max<std::int64_t>(rest.*tokens, 0);
    }
    said.back().usage = rest;
}
}
