// Lists the runs of a store without an engine, and finds one by the beginning of its id.
//
//     for (auto& run : list_runs(store, {.statuses = {"waiting"}, .ticks = 1000}, false)) use(run.id);
//     const RunRow row = find_run(store, "4f2a");
//
// If no engine uses the store, a run with the stored status running is shown as interrupted.
#pragma once
#include "engine/describe.hpp"
#include "engine/journal/fold.hpp"
#include "engine/json/text.hpp"
#include "engine/store.hpp"

namespace weft::catalog {
/// A run in a listing. Times are in ISO 8601.
struct ListedRun {
    std::string id, workflow;
    std::string status;  // ready, running, waiting, done, failed, timed_out, cancelled, interrupted or damaged
    std::optional<std::string> waits_for,
        sleeps_until;  // the latter for a run that sleeps, or waits for its first time
    std::string created, updated;
    std::optional<std::string> forked_from;
    JsonText options;
    std::int64_t created_at = 0;  // microseconds since 1970
    bool is_unread = false;       // its ticks were not read, so questions may be missing
    static constexpr std::string_view undescribed_fields[] = {"created_at", "is_unread"};
};
BOOST_DESCRIBE_STRUCT(ListedRun, (),
                      (id, workflow, status, waits_for, sleeps_until, created, updated, forked_from, options))
ListedRun describe(const storage::RunRow&, bool has_engine);
struct ListedQuestion {
    std::string question;  // its id; for a child run after the child's path: "4.1.1.0#2"
    std::string event;
    nlohmann::json data;
    std::string asked;               // time in ISO 8601
    std::optional<std::string> run;  // the path of the child run that has asked
    bool answered = false;           // the mailbox has an answer that no tick has taken yet
    nlohmann::json key;              // the id as the journal has it
    static constexpr std::string_view undescribed_fields[] = {"key"};
};
BOOST_DESCRIBE_STRUCT(ListedQuestion, (), (question, event, data, asked, run, answered))
/// Returns the open questions, the oldest first.
std::vector<ListedQuestion> open_questions(const std::vector<journal::JournalEntry>&, const std::vector<storage::Mail>&,
                                           const journal::Fits&);
/// A run's details, without its ticks.
struct ShownRun : ListedRun {
    std::optional<std::string> key;           // the key of its start
    nlohmann::json outcome;                   // null until the run has ended
    bool to_be_cancelled = false;             // the mailbox has a cancellation that no tick has taken yet
    std::optional<std::string> undoes_after;  // while it undoes its work: its status at the end
    std::vector<ListedQuestion> questions;
    std::map<std::string, nlohmann::json> slots;
};
BOOST_DESCRIBE_STRUCT(ShownRun, (ListedRun), (key, outcome, to_be_cancelled, undoes_after, questions, slots))
ShownRun describe(const storage::History&, const std::vector<journal::JournalEntry>&, bool has_engine);
const std::vector<std::string>& status_words();

/// Empty lists stand for all.
struct StoredRunFilter {
    std::vector<std::string> statuses, workflows;  // statuses in the form of ListedRun
    std::size_t most = 1000;
    std::size_t ticks = 0;  // maximum of ticks to read, for runs with questions that their rows lack
};
/// Returns the newest runs first. The status waiting includes runs of other statuses that wait for an answer, and runs
/// that may wait, if their ticks were not read.
std::vector<ListedRun> list_runs(Store&, const StoredRunFilter&, bool has_engine);
/// Throws Error{usage} for the name of a workflow that neither the catalogue nor a run of the store has.
void check_workflows(Store&, const std::vector<std::string>& names);

/// Finds runs, and blocks until the store has answered.
std::vector<storage::RunRow> rows_of(Store&, storage::Filter);
/// Finds a run by its id, or by a beginning that no other id has. Throws Error{usage} that lists the possible runs, and
/// DamagedError (engine/store/damaged.hpp).
storage::RunRow find_run(Store&, const std::string& id);
std::string find_id(Store&, const std::string& id);  // finds damaged runs, too
}
