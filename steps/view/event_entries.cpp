// One function for the events of each agent, and one for the ends of all; an event without content gives no entry.
#include "steps/view/event_entries.hpp"
#include "engine/clock.hpp"
#include "engine/ending.hpp"
#include "engine/event_json.hpp"
#include "engine/json.hpp"
#include "engine/run.hpp"
#include "steps/agents/common/approvals.hpp"
#include "steps/agents/reflect/events.hpp"
#include <algorithm>
#include <array>
#include <charconv>

namespace weft::view {
namespace {
TraceEntry entry(TraceKind kind, std::string text, std::string label = {}, bool ok = true) {
    return {.kind = kind, .label = std::move(label), .text = std::move(text), .ok = ok};
}
TraceEntry entry(TraceKind kind, const std::string& text, int sub_question) {
    return {.kind = kind, .sub_question = sub_question, .text = text};
}
TraceEntry mistake(std::string text, std::string label) {
    return entry(TraceKind::error, std::move(text), std::move(label), false);
}
/// Returns the entries of a reply that could not be followed, with the reason.
TraceEntries fault(const std::string& reply, const std::string& error, int sub_question = 0) {
    TraceEntries said;
    if (!reply.empty()) said.push_back(entry(TraceKind::thought, reply, "reply", false));
    said.push_back(mistake(error, "reply"));
    for (auto& one : said) one.sub_question = sub_question;
    return said;
}
/// Puts the tokens of the reply behind an event into its last entry.
template <class E> TraceEntries with_usage(const E& event, TraceEntries said) {
    said.back().usage = event.usage;
    return said;
}
TraceEntries action(const agents::ActionEvent& event) {
    TraceEntries said;
    if (!event.thought.empty()) said.push_back(entry(TraceKind::thought, event.thought));
    said.push_back(entry(TraceKind::action, event.arguments.text, event.tool));
    said.back().usage = event.usage;
    if (!event.note.empty()) said.push_back(mistake(event.note, "note"));
    return said;
}
TraceEntries observation(const agents::ObservationEvent& event) {
    TraceEntries said{entry(TraceKind::observation, event.text, event.tool, event.ok)};
    said.back().display = event.display;
    if (event.note.empty()) return said;
    if (event.ok) said.push_back(entry(TraceKind::event, event.note, "note"));
    else said.push_back(mistake(event.note, "note"));
    return said;
}
/// Returns the outcome of the question about a call.
TraceEntries decision(const agents::ToolDecisionEvent& event) {
    using enum agents::Decision;
    std::string what;
    switch (event.decision) {
    case approve: what = "was allowed"; break;
    case always: what = "was allowed for the rest of this run"; break;
    case edit: what = "was allowed with " + event.arguments.text; break;
    case reject: what = "was rejected"; break;
    case unanswered: what = "was not allowed, as there was no person to ask"; break;
    }
    if (!event.reason.empty()) what += ": " + event.reason;
    return {entry(TraceKind::event, event.tool + ' ' + what, "permission")};
}
TraceEntries request(const agents::RequestEvent& event) {
    // null is not an argument; the answer itself is the next entry.
    const bool silent = event.argument.text == "null" || event.request == "final_answer";
    auto said = entry(TraceKind::action, silent ? std::string() : event.argument.text, event.request);
    said.sub_question = event.sub_question;
    return with_usage(event, {said});
}
TraceEntries result(const agents::ResultEvent& event) {
    auto said = entry(TraceKind::observation, event.text, event.request, event.ok);
    said.display = event.display;
    said.sub_question = event.sub_question;
    return {said};
}
TraceEntries decomposition(const agents::DecompositionEvent& event) {
    std::string list;
    for (std::size_t i = 0; i < event.sub_questions.size(); ++i)
        list += (i ? "\n" : "") + std::to_string(i + 1) + ". " + event.sub_questions[i];
    return with_usage(event, {entry(TraceKind::observation, list, "decomposition")});
}
TraceEntry answer(const std::string& text, agents::AnswerOutcome outcome) {
    const bool ok = outcome == agents::AnswerOutcome::answered;
    return entry(TraceKind::answer, text, ok ? std::string() : to_json(outcome).get<std::string>(), ok);
}
TraceEntries sub_answer(const agents::SubAnswerEvent& event) {
    auto said = answer(event.text, event.outcome);
    said.sub_question = event.sub_question;
    return {said};
}
template <class... E> bool is_any_of(const AnyEvent& event) { return (event.get_if<E>() || ...); }
/// True for events of agents without content of their own: turns, and deltas, whose whole text comes later.
bool says_nothing(const AnyEvent& event) {
    return is_any_of<agents::TurnEvent, agents::ThoughtDeltaEvent, agents::ActionDeltaEvent,
                     agents::ActionInputDeltaEvent, agents::AnswerDeltaEvent, agents::ReplyDeltaEvent,
                     agents::ReflectionDeltaEvent>(event);
}
TraceEntries last_answer(const agents::AnswerEvent& event) {
    TraceEntries said;
    if (!event.reasoning.empty() && event.reasoning.back().kind == agents::ReasoningKind::answer &&
        !event.reasoning.back().thought.empty())
        said.push_back(entry(TraceKind::thought, event.reasoning.back().thought));
    said.push_back(answer(event.response, event.outcome));
    return said;
}
}

std::string note_sentence(const agents::CallNoteEvent& note) {
    const auto wait = in_seconds(std::chrono::milliseconds(note.wait_ms));
    if (note.kind == "retry") return note.text + "; it is asked again in " + wait;
    if (note.kind == "restart") return note.text + "; what came of its reply is void, and it is asked again in " + wait;
    if (note.kind == "adapted") return note.text + "; it is asked again in that form";
    if (note.kind == "fallback") return note.text + "; " + note.model + " is asked in its place";
    if (note.kind == "held") return note.text + "; the request waits for " + wait;
    return note.text;
}
std::string progress_sentence(const agents::ToolProgressEvent& event) {
    const auto number = [](double value) {
        std::array<char, 40> text;
        return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
    };
    std::string sentence;
    if (event.done) sentence = number(*event.done);
    if (event.done && event.total) sentence += " of " + number(*event.total);
    if (!sentence.empty() && !event.text.empty()) sentence += ": ";
    return sentence + event.text;
}
std::string progress_sentence(const RunProgressEvent& event) {
    return std::to_string(event.settled) + " of " + std::to_string(event.begun) + " branches";
}
TraceEntries react_entries(const AnyEvent& event) {
    if (const auto* turn = event.get_if<agents::TurnEvent>(); turn && !turn->step)
        return {mistake("no tool runs any more, the model is asked for its best answer", "limit")};
    if (const auto* acts = event.get_if<agents::ActionEvent>()) return action(*acts);
    if (const auto* seen = event.get_if<agents::ObservationEvent>()) return observation(*seen);
    if (const auto* goes_on = event.get_if<agents::ToolProgressEvent>())
        return {entry(TraceKind::progress, progress_sentence(*goes_on), goes_on->tool)};
    if (const auto* thinks = event.get_if<agents::ReasoningEvent>()) return {entry(TraceKind::reasoning, thinks->text)};
    if (const auto* failed = event.get_if<agents::FaultEvent>())
        return with_usage(*failed, fault(failed->reply, failed->error));
    if (const auto* past = event.get_if<agents::PastSummaryEvent>())
        return with_usage(*past, {entry(TraceKind::summary, past->text, "past")});
    if (const auto* warning = event.get_if<agents::WarningEvent>()) return {mistake(warning->text, "warning")};
    if (const auto* note = event.get_if<agents::CallNoteEvent>()) {
        auto said = mistake(note_sentence(*note), "model");
        if (note->kind == "cached") said = entry(TraceKind::progress, note->text, "model");  // not an error
        return {said};
    }
    return {};
}
TraceEntries reflect_entries(const AnyEvent& event) {
    if (const auto* reflects = event.get_if<agents::ReflectionEvent>())
        return with_usage(*reflects, {entry(TraceKind::reflection, reflects->text, reflects->sub_question)});
    if (const auto* acts = event.get_if<agents::RequestEvent>()) return request(*acts);
    if (const auto* seen = event.get_if<agents::ResultEvent>()) return result(*seen);
    if (const auto* again = event.get_if<agents::RetryEvent>())
        return with_usage(*again, fault(again->reply, again->error, again->sub_question));
    if (const auto* parts = event.get_if<agents::DecompositionEvent>()) return decomposition(*parts);
    if (const auto* begun = event.get_if<agents::SubQuestionEvent>())
        return {entry(TraceKind::sub_question, begun->text, begun->sub_question)};
    if (const auto* ended = event.get_if<agents::SubAnswerEvent>()) return sub_answer(*ended);
    if (const auto* summary = event.get_if<agents::SummaryEvent>())
        return with_usage(*summary, {entry(TraceKind::summary, summary->text)});
    return {};
}
TraceEntries ending_entries(const AnyEvent& event) {
    if (const auto* answered = event.get_if<agents::AnswerEvent>()) return last_answer(*answered);
    const auto* ending = ending_of(event);
    if (!ending) return {};
    std::string label(name(ending->status));
    std::replace(label.begin(), label.end(), '_', ' ');
    return {mistake(ending->shown(event.data()), std::move(label))};
}
TraceEntries other_entries(const AnyEvent& event) {
    if (says_nothing(event)) return {};
    if (const auto* decided = event.get_if<agents::ToolDecisionEvent>()) return decision(*decided);
    const std::string name(event.name());
    try {
        return {entry(TraceKind::event, to_json(event).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                      name)};
    } catch (const Error& error) { return {entry(TraceKind::event, error.what(), name, false)}; }
}
}
