// The mail names the answered question, so later ticks of the engine do not change its meaning.
#include "workflows/catalog/stored/inbox.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/core/record.hpp"
#include "engine/core/stored_plan.hpp"
#include "engine/error.hpp"
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include "engine/replay.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/rules.hpp"
#include "engine/text/text.hpp"
#include "workflows/catalog/answer_types.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/catalog/unknown_fields.hpp"
#include <algorithm>

namespace weft::catalog {
using namespace storage;
namespace {
using nlohmann::json;
using ListedQuestions = std::vector<ListedQuestion>;

std::string open_list(const ListedQuestions& open) {
    const auto text = with_commas(open, [](const ListedQuestion& each) {
        return each.question + " (" + each.event + (each.answered ? ", answered" : "") + ")";
    });
    return text.empty() ? "none" : text;
}
const ListedQuestion& named_question(const ListedQuestions& open, const AnswerTypes& types, const std::string& run,
                                     const AnswerToSend& answer) {
    const auto is_it = [&](const ListedQuestion& each) { return each.question == answer.question; };
    const auto at = std::ranges::find_if(open, is_it);
    if (at == open.end())
        throw Error(Code::usage,
                    "run " + run + " has no open question " + answer.question + "; open are: " + open_list(open));
    if (!types.fits(answer.event, at->event))
        throw Error(Code::usage, "question " + at->question + " is a " + at->event + ", which " + answer.event +
                                     " does not answer; it takes " + types.answers_to(at->event));
    if (at->answered)
        throw Error(Code::usage,
                    "question " + at->question + " has its answer already: it is in the inbox of run " + run);
    return *at;
}
/// The question for this event; null if the event needs none.
const ListedQuestion* oldest_question(const ListedQuestions& open, const AnswerTypes& types, const std::string& run,
                                      const AnswerToSend& answer) {
    const ListedQuestion* answered = nullptr;
    for (auto& each : open) {
        if (!types.fits(answer.event, each.event)) continue;
        if (!each.answered) return &each;
        answered = &each;
    }
    if (types.needs_no_question(answer.event)) return nullptr;
    if (answered)
        throw Error(Code::usage,
                    "question " + answered->question + " has its answer already: it is in the inbox of run " + run);
    throw Error(Code::usage,
                "run " + run + " has no open question that " + answer.event + " answers; open are: " + open_list(open));
}

/// The names of the workflow's signals. A workflow outside the catalogue has them in its stored declaration.
std::vector<std::string> signals_of(Store& store, const RunRow& run, const AnswerTypes& types) {
    std::vector<std::string> names;
    for (const auto* type : types.signals()) names.emplace_back(type->name);
    if (types.known()) return names;
    const auto plan = answer_of<StoredPlan>([&](auto then) { store.plan(run.hash, std::move(then)); });
    const auto named = core::read_plan(plan.plan, plan.hash);
    for (std::size_t e = 0; e < named.events.size(); ++e)
        if (named.plan.events[e].answers == core::signals) names.push_back(named.events[e]);
    return names;
}
void check_signal(const std::vector<std::string>& known, const RunRow& run, const std::string& event) {
    if (std::ranges::find(known, event) != known.end()) return;
    throw Error(Code::usage, "the workflow " + run.workflow + " of run " + run.id + " takes no signal " + event +
                                 "; it takes " + (known.empty() ? "no signals" : with_commas(known)));
}

[[noreturn]] void refuse_used_id(const History& history, const AnswerToSend& answer) {
    throw Error(Code::usage, "the id " + answer.id + " belongs to other mail of run " + history.run.id +
                                 ": give this answer an id of its own");
}
/// The data with defaults for missing fields; unchanged if they do not fit the type.
json completed(const EventType* type, const json& data) {
    if (!type) return data;
    try {
        return to_json(*type, read_event(*type, data).get());
    } catch (const Error&) { return data; }
}
/// True if a tick with this answer's id took the same answer, or does not contain the data.
bool may_be_same(const journal::Record& record, const AnswerTypes& types, const AnswerToSend& answer) {
    const auto* tick = std::get_if<journal::TickRecord>(&record);
    if (!tick || tick->kind != journal::TickKind::arrived || tick->events.size() != 1) return true;
    const auto& taken = tick->events[0];
    if (taken.data.is_null()) return true;
    const auto* type = types.type_for(answer.event);
    return taken.event == answer.event && completed(type, taken.data) == completed(type, answer.data);
}
std::string_view mail_of(const journal::JournalEntry& tick) { return journal::labels_of(tick.record).mail; }
/// True if mail with this id was already sent. Throws if its contents were different.
bool was_sent(const History& history, const std::vector<journal::JournalEntry>& ticks, const AnswerTypes& types,
              const AnswerToSend& answer) {
    if (answer.id.empty()) return false;
    for (auto& mail : history.mail) {
        if (mail.id != answer.id) continue;
        const auto sent = journal::read_mail(mail.body);
        if (sent && sent->event.value_or(json()) == answer.event && sent->data.value_or(json()) == answer.data)
            return true;
        refuse_used_id(history, answer);
    }
    const auto at = std::ranges::find(ticks, answer.id, mail_of);
    if (at == ticks.end()) return false;
    if (!may_be_same(at->record, types, answer)) refuse_used_id(history, answer);
    return true;
}
[[noreturn]] void refuse_ended(const std::string& run, RunStatus status) {
    throw Error(Code::usage,
                "run " + run + " has ended (" + std::string(name(status)) + "): nothing can be sent to it");
}
/// Refuses answers for a run that is about to end.
void refuse_doomed(const History& history, const std::vector<journal::JournalEntry>& ticks) {
    const auto refuse = [&](const std::string& why) {
        throw Error(Code::usage, "run " + history.run.id + why + ": it takes no answer any more");
    };
    if (journal::has_cancel(history.mail)) refuse(" is to be cancelled");
    const auto course = journal::fold_course(ticks);
    if (course.undoes_after.empty() && course.deadline && *course.deadline <= storage::wall_microseconds())
        refuse(" is past its deadline (--timeout), and ends when an engine executes it");
    if (course.is_ending) refuse(" is ending");
}
/// The mail id of an answer to this question. Concurrent answers get the same id, so that only one is taken; an answer
/// after an invalid one gets another id.
std::string id_of_answer(const History& history, const std::vector<journal::JournalEntry>& ticks,
                         const std::string& question) {
    const auto id = "weft:answer:" + question + ":";
    const auto is_for_it = [&](std::string_view mail) { return mail.starts_with(id); };
    return id + std::to_string(std::ranges::count_if(history.mail, is_for_it, &Mail::id) +
                               std::ranges::count_if(ticks, is_for_it, mail_of));
}
void deliver(Store& store, SentMail& sent, const journal::MailRecord& record) {
    const Mail mail{sent.run, sent.id, journal::write_mail(record), record.cancel.has_value()};
    const auto answer = storage::answer_of<SendReply>([&](auto then) { store.send(mail, std::move(then)); });
    sent.is_new = answer.is_new;
    if (!answer.is_new && has_ended(answer.status)) refuse_ended(sent.run, answer.status);
}
}

SentMail send_answer(Store& store, const AnswerToSend& answer) {
    const auto history = history_of(store, find_run(store, answer.run).id);
    const auto ticks = journal::read_entries(history);
    const auto& run = history.run;
    const AnswerTypes types(run.workflow);
    SentMail sent{.run = run.id, .id = answer.id, .checked = types.known()};
    if (was_sent(history, ticks, types, answer)) {
        sent.is_new = false;
        return sent;
    }
    if (has_ended(run.status)) refuse_ended(run.id, run.status);
    refuse_doomed(history, ticks);
    types.check(run.workflow, answer.event, answer.data);
    if (const auto* type = types.type_for(answer.event)) refuse_unknown_fields(*type, answer.data, "the answer");
    const auto fits = [&](const std::string& event, const std::string& question) {
        return types.fits(event, question);
    };
    const auto open = open_questions(ticks, history.mail, fits);
    const ListedQuestion* question = nullptr;
    if (types.is_signal(answer.event))
        throw Error(Code::usage, answer.event + " is a signal, which answers no question: send it by weft signal");
    if (answer.question.empty()) question = oldest_question(open, types, run.id, answer);
    else question = &named_question(open, types, run.id, answer);
    journal::MailRecord mail{.data = answer.data, .event = answer.event};
    if (question) {
        mail.question = question->key;
        if (question->run) mail.run = *question->run;
        sent.question = question->question;
        sent.asked = question->event;
    }
    if (sent.id.empty())
        sent.id = question ? id_of_answer(history, ticks, question->question) : core::hex(core::draw_seed());
    deliver(store, sent, mail);
    if (!sent.is_new && answer.id.empty())
        throw Error(Code::usage, "question " + sent.question + " has its answer already: another sender was first");
    return sent;
}
SentMail send_signal(Store& store, const SignalToSend& signal) {
    const auto history = history_of(store, find_run(store, signal.run).id);
    const auto ticks = journal::read_entries(history);
    const auto& run = history.run;
    const AnswerTypes types(run.workflow);
    SentMail sent{.run = run.id, .id = signal.id, .checked = types.known()};
    const AnswerToSend same{.run = run.id, .event = signal.event, .data = signal.data, .id = signal.id};
    if (was_sent(history, ticks, types, same)) {
        sent.is_new = false;
        return sent;
    }
    if (has_ended(run.status)) refuse_ended(run.id, run.status);
    refuse_doomed(history, ticks);
    check_signal(signals_of(store, run, types), run, signal.event);
    types.check(run.workflow, signal.event, signal.data);
    if (const auto* type = types.type_for(signal.event)) refuse_unknown_fields(*type, signal.data, "the signal");
    const journal::MailRecord mail{.data = signal.data, .event = signal.event};
    check_room_for_signal(run.id, history.mail, journal::write_mail(mail).size());
    if (sent.id.empty()) sent.id = core::hex(core::draw_seed());
    deliver(store, sent, mail);
    return sent;
}
/// Whether a cancellation of this run ends its undoing, because an earlier one was sent. False for an unreadable run,
/// too: it takes its first cancellation.
static bool is_second_cancel(const History& history) {
    try {
        const auto ticks = journal::read_entries(history);
        const auto after = journal::fold_course(ticks).undoes_after;
        if (after.empty()) return false;
        return after == name(RunStatus::cancelled) || journal::has_cancel(history.mail) ||
               std::ranges::count(ticks, journal::cancel_mail, mail_of) > 0;
    } catch (const Error&) { return false; }
}
SentMail send_cancel(Store& store, const std::string& run) {
    const auto history = history_of(store, find_run(store, run).id);  // throws for a damaged run, which cannot end
    SentMail sent{.run = history.run.id, .id = std::string(journal::cancel_mail)};
    if (is_second_cancel(history)) sent.id = journal::end_undoing_mail;
    deliver(store, sent, {.cancel = true});
    return sent;
}
bool is_to_be_cancelled(Store& store, const std::string& run) {
    return journal::has_cancel(history_of(store, run).mail);
}
}
