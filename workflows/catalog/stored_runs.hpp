// The runs of a store for those who look at them from outside of an engine: listed, and found by the beginning of an
// id.
//
//     for (auto& row : list_runs(store, {.statuses = {"waiting"}}, false)) use(describe(row, false).updated);
//     const RunRow row = find_run(store, "4f2a");
//
// Where no engine is at work, a run that the store has as running was interrupted: that is the word for it.
#pragma once
#include "engine/json/text.hpp"
#include "engine/store.hpp"
#include "workflows/catalog/stored_ticks.hpp"

namespace weft::catalog {
/// What a listing says of a run. Times are in ISO 8601.
struct ListedRun {
    std::string id, workflow;
    std::string status;  // ready, running, waiting, done, failed, timed_out, cancelled, interrupted or damaged
    std::optional<std::string> waits_for;
    std::string created, updated;
    std::optional<std::string> forked_from;
    JsonText options;
};
BOOST_DESCRIBE_STRUCT(ListedRun, (), (id, workflow, status, waits_for, created, updated, forked_from, options))
ListedRun describe(const storage::RunRow&, bool has_engine);
/// All that can be said of a run but its ticks.
struct ShownRun : ListedRun {
    std::optional<std::string> key;  // that it was started with
    nlohmann::json outcome;          // null until it has ended
    std::vector<OpenQuestion> questions;
    std::map<std::string, nlohmann::json> slots;
};
BOOST_DESCRIBE_STRUCT(ShownRun, (ListedRun), (key, outcome, questions, slots))
ShownRun describe(const storage::History&, const std::vector<Tick>&, bool has_engine);
std::string shown_status(const storage::RunRow&, bool has_engine);
const std::vector<std::string>& status_words();

/// Empty lists stand for all. The newest come first.
struct Listing {
    std::vector<std::string> statuses, workflows;  // statuses as they are shown
    std::size_t most = 1000;
};
std::vector<storage::RunRow> list_runs(Store&, const Listing&, bool has_engine);

/// By its id, or by a beginning that no other id has. Throws Error{usage} that lists what it may mean, and DamagedError
/// (engine/store/damaged.hpp).
storage::RunRow find_run(Store&, const std::string& id);
std::string find_id(Store&, const std::string& id);  // also of a run that is damaged
storage::History load_run(Store&, const std::string& id);
}
