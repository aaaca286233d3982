// Searches all ids for one with a given beginning, because stores find only whole ids.
#include "workflows/catalog/stored/stored_runs.hpp"
#include "engine/core/loop/diagnosis.hpp"
#include "engine/journal/format.hpp"
#include "engine/replay.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/damaged.hpp"
#include "engine/text/iso_time.hpp"
#include "workflows/catalog/answer_types.hpp"
#include "workflows/catalog/catalog.hpp"
#include <algorithm>
#include <limits>

namespace weft::catalog {
using namespace storage;
namespace {
constexpr auto interrupted = "interrupted", damaged = "damaged";
constexpr std::size_t no_limit = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t most_named = 5, longest_wait = 500;

std::optional<std::string> if_any(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }
std::string listed(const std::vector<RunRow>& rows) {
    std::string text;
    for (std::size_t i = 0; i < std::min(rows.size(), most_named); ++i) (text += i ? ", " : "") += rows[i].id;
    if (rows.size() > most_named) text += " and " + std::to_string(rows.size() - most_named) + " more";
    return text;
}
std::vector<ListedQuestion> questions_of(const History& history, const std::vector<journal::JournalEntry>& ticks,
                                         const AnswerTypes& types) {
    if (has_ended(history.run.status)) return {};
    return open_questions(ticks, history.mail, [&](const std::string& event, const std::string& question) {
        return types.fits(event, question);
    });
}
/// Describes the open questions, for a run whose row lacks this text; empty if there are none.
std::optional<std::string> awaited(const std::vector<ListedQuestion>& questions, const AnswerTypes& types) {
    std::map<std::string, std::size_t> open;
    for (auto& each : questions)
        if (!each.answered) ++open[each.event];
    std::string text;
    for (auto& [event, n] : open) {
        if (text.size() > longest_wait) return text + ", ...";
        (text += text.empty() ? "" : ", ") += n == 1 ? "an answer to " : std::to_string(n) + " answers to ";
        text += event;
        if (const auto answers = types.answers_to(event); !answers.empty()) text += " (" + answers + ")";
    }
    return if_any(text);
}
/// The same from the store. Empty for an unreadable run, so that the listing continues; `weft show` reports its fault.
std::optional<std::string> awaited(Store& store, const RunRow& row) {
    try {
        const auto history = history_of(store, row.id);
        if (journal::has_cancel(history.mail)) return std::nullopt;  // the run takes no more answers
        const AnswerTypes types(row.workflow);
        return awaited(questions_of(history, journal::read_entries(history), types), types);
    } catch (const Error&) { return std::nullopt; }
}
/// True if the row may lack open questions, because the run executes or has mail. The first tick has no question.
bool may_have_questions(const RunRow& row) {
    return !has_ended(row.status) && row.waits_for.empty() && row.next_seq > 1;
}
}

std::vector<ListedQuestion> open_questions(const std::vector<journal::JournalEntry>& ticks,
                                           const std::vector<Mail>& mail, const journal::Fits& fits) {
    std::vector<ListedQuestion> all;
    for (auto& open : journal::fold_questions(ticks, mail, fits))
        all.push_back({.question = journal::question_text(open.id, open.run),
                       .event = open.event,
                       .data = std::move(open.data),
                       .asked = utc(open.at),
                       .run = if_any(open.run),
                       .answered = open.answered,
                       .key = std::move(open.id)});
    return all;
}
static std::string shown_status(const RunRow& row, bool has_engine) {
    if (storage::is_damaged(row)) return damaged;
    if (row.status == RunStatus::ready && !row.waits_for.empty())
        return "waiting";  // the run was left waiting for an answer
    return row.status == RunStatus::running && !has_engine ? interrupted : std::string(name(row.status));
}
/// A deadline alone is no sleep.
static std::optional<std::string> end_of_sleep(const RunRow& row) {
    const bool sleeps = waits_to_begin(row) || row.waits_for.find(core::sleep_words) != std::string::npos;
    return row.wake_at && sleeps ? std::optional(utc(*row.wake_at)) : std::nullopt;
}
const std::vector<std::string>& status_words() {
    static const auto words = [] {
        std::vector<std::string> all{"ready", "running", "waiting"};
        for (const auto status : ended_statuses()) all.emplace_back(name(status));
        for (const auto* word : {interrupted, damaged}) all.emplace_back(word);
        return all;
    }();
    return words;
}
ListedRun describe(const RunRow& row, bool has_engine) {
    return {.id = row.id,
            .workflow = row.workflow,
            .status = shown_status(row, has_engine),
            .waits_for = if_any(storage::waits_to_begin(row) ? "until " + utc(row.wake_at.value_or(0)) : row.waits_for),
            .sleeps_until = end_of_sleep(row),
            .created = utc(row.created_at),
            .updated = utc(row.updated_at),
            .forked_from = if_any(row.forked_from),
            .options = {row.options.empty() ? "{}" : row.options},
            .created_at = row.created_at};
}
ShownRun describe(const History& history, const std::vector<journal::JournalEntry>& ticks, bool has_engine) {
    auto& row = history.run;
    const AnswerTypes types(row.workflow);
    ShownRun shown;
    static_cast<ListedRun&>(shown) = describe(row, has_engine);
    shown.key = if_any(row.start_key);
    if (!row.outcome.empty()) shown.outcome = nlohmann::json::parse(row.outcome, nullptr, false);
    if (shown.outcome.is_discarded()) shown.outcome = row.outcome;  // show it even if it is not JSON
    shown.to_be_cancelled = !has_ended(row.status) && journal::has_cancel(history.mail);
    if (!has_ended(row.status)) shown.undoes_after = if_any(journal::fold_course(ticks).undoes_after);
    shown.questions = questions_of(history, ticks, types);
    if (!shown.waits_for) shown.waits_for = awaited(shown.questions, types);
    shown.slots = journal::fold_slots(ticks);
    return shown;
}

std::vector<ListedRun> list_runs(Store& store, const StoredRunFilter& listing, bool has_engine) {
    const auto asks_for = [&](const std::string& status) { return std::ranges::count(listing.statuses, status) != 0; };
    Filter filter{.workflows = listing.workflows, .most = listing.statuses.empty() ? listing.most : no_limit};
    auto left = listing.ticks;
    std::vector<ListedRun> runs;
    for (auto& row : rows_of(store, std::move(filter))) {
        if (runs.size() == listing.most) break;
        auto run = describe(row, has_engine);
        const bool is_wanted = listing.statuses.empty() || asks_for(run.status);
        if (!is_wanted && !asks_for("waiting")) continue;
        if (may_have_questions(row)) {
            run.is_unread = row.next_seq > left;
            if (!run.is_unread) {
                left -= row.next_seq;
                run.waits_for = awaited(store, row);
            }
        }
        if (is_wanted || run.waits_for || run.is_unread) runs.push_back(std::move(run));
    }
    return runs;
}
void check_workflows(Store& store, const std::vector<std::string>& names) {
    for (auto& name : names)
        if (rows_of(store, {.workflows = {name}, .most = 1}).empty()) find_workflow(name);
}

std::vector<RunRow> rows_of(Store& store, Filter filter) {
    return storage::answer_of<std::vector<RunRow>>([&](auto then) { store.list(std::move(filter), std::move(then)); });
}
RunRow find_run(Store& store, const std::string& id) {
    if (id.empty()) throw Error(Code::usage, "the id of the run is empty: write its id, or its beginning");
    if (auto rows = rows_of(store, {.ids = {id}}); !rows.empty()) return std::move(rows.front());
    auto rows = rows_of(store, {.most = no_limit});
    std::erase_if(rows, [&](const RunRow& row) { return !row.id.starts_with(id); });
    if (rows.size() == 1)
        return storage::is_damaged(rows.front()) ? find_run(store, rows.front().id)  // find_run refuses it
                                                 : std::move(rows.front());
    if (rows.empty()) throw Error(Code::usage, "the store has no run " + id + "; `weft runs` lists those that it has");
    throw Error(Code::usage, std::to_string(rows.size()) + " runs begin with " + id + ": " + listed(rows) +
                                 "; write more of the id");
}
std::string find_id(Store& store, const std::string& id) {
    try {
        return find_run(store, id).id;
    } catch (const storage::DamagedError& error) { return error.run(); }
}
}
