// A beginning of an id is looked for among all ids, because stores know whole ids only.
#include "workflows/catalog/stored_runs.hpp"
#include "engine/store/damaged.hpp"
#include "engine/store_answer.hpp"
#include "workflows/catalog/answer_types.hpp"
#include <algorithm>
#include <limits>

namespace weft::catalog {
using namespace storage;
namespace {
constexpr auto interrupted = "interrupted", damaged = "damaged";
constexpr std::size_t no_limit = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t most_named = 5;

std::optional<std::string> if_any(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }
std::vector<RunRow> rows_of(Store& store, Filter filter) {
    return storage::answer_of<std::vector<RunRow>>([&](auto then) { store.list(std::move(filter), std::move(then)); });
}
std::string listed(const std::vector<RunRow>& rows) {
    std::string text;
    for (std::size_t i = 0; i < std::min(rows.size(), most_named); ++i) (text += i ? ", " : "") += rows[i].id;
    if (rows.size() > most_named) text += " and " + std::to_string(rows.size() - most_named) + " more";
    return text;
}
}

std::string shown_status(const RunRow& row, bool has_engine) {
    if (core::is_damaged(row)) return damaged;
    if (row.status == RunStatus::ready && !row.waits_for.empty()) return "waiting";  // for an answer, as it was left
    return row.status == RunStatus::running && !has_engine ? interrupted : std::string(name(row.status));
}
const std::vector<std::string>& status_words() {
    static const std::vector<std::string> words = {"ready",     "running",   "waiting",   "done", "failed",
                                                   "timed_out", "cancelled", interrupted, damaged};
    return words;
}
ListedRun describe(const RunRow& row, bool has_engine) {
    return {.id = row.id,
            .workflow = row.workflow,
            .status = shown_status(row, has_engine),
            .waits_for = if_any(row.waits_for),
            .created = utc(row.created_at),
            .updated = utc(row.updated_at),
            .forked_from = if_any(row.forked_from),
            .options = {row.options.empty() ? "{}" : row.options}};
}
ShownRun describe(const History& history, const std::vector<Tick>& ticks, bool has_engine) {
    auto& row = history.run;
    const AnswerTypes types(row.workflow);
    ShownRun shown;
    static_cast<ListedRun&>(shown) = describe(row, has_engine);
    shown.key = if_any(row.start_key);
    if (!row.outcome.empty()) shown.outcome = nlohmann::json::parse(row.outcome, nullptr, false);
    if (shown.outcome.is_discarded()) shown.outcome = row.outcome;  // whatever it is, it can be looked at
    shown.questions = open_questions(ticks, history.mail, [&](const std::string& event, const std::string& question) {
        return types.fits(event, question);
    });
    if (has_ended(row.status)) shown.questions.clear();
    shown.slots = fold_slots(ticks);
    return shown;
}

std::vector<RunRow> list_runs(Store& store, const Listing& listing, bool has_engine) {
    Filter filter;
    filter.workflows = listing.workflows;
    filter.most = listing.statuses.empty() ? listing.most : no_limit;
    auto rows = rows_of(store, std::move(filter));
    if (!listing.statuses.empty())
        std::erase_if(rows, [&](const RunRow& row) {
            return !std::ranges::count(listing.statuses, shown_status(row, has_engine));
        });
    if (rows.size() > listing.most) rows.resize(listing.most);
    return rows;
}

RunRow find_run(Store& store, const std::string& id) {
    if (id.empty()) throw Error(Code::usage, "a run is named by its id, or by the beginning of it");
    Filter exact;
    exact.ids = {id};
    if (auto rows = rows_of(store, exact); !rows.empty()) return std::move(rows.front());
    Filter all;
    all.most = no_limit;
    auto rows = rows_of(store, all);
    std::erase_if(rows, [&](const RunRow& row) { return !row.id.starts_with(id); });
    if (rows.size() == 1)
        return core::is_damaged(rows.front()) ? find_run(store, rows.front().id)  // who is refused
                                              : std::move(rows.front());
    if (rows.empty()) throw Error(Code::usage, "the store has no run " + id + "; `weft runs` lists those that it has");
    throw Error(Code::usage, std::to_string(rows.size()) + " runs begin with " + id + ": " + listed(rows) +
                                 "; write more of the id");
}
std::string find_id(Store& store, const std::string& id) {
    try {
        return find_run(store, id).id;
    } catch (const core::DamagedError& error) { return error.run(); }
}
History load_run(Store& store, const std::string& id) {
    return storage::answer_of<History>([&](auto then) { store.load(id, std::move(then)); });
}
}
