// Rules common to all stores: the effect of an append, the owners that a lease protects, the rows that a filter takes.
// Each store keeps rows in its own way, and asks these functions how to change them.
#pragma once
#include "engine/store.hpp"
#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace weft::storage {
inline constexpr std::string_view values_member = "value.";  // begins the name of a key of runs
/// Not empty, UTF-8, and without control characters: people read the id, and paste it into commands.
bool can_be_run_id(std::string_view);
/// Throws Error{usage} if this is not the name of a member of runs' values, such as value.tenant. Empty: no key.
/// `whose`: "the queue mail".
void check_key_name(std::string_view, const std::string& whose);
void check_queue_name(std::string_view);  // throws Error{usage}: it is one line of 1 to 200 bytes
/// Each throws Error{usage} if its argument contradicts itself, whatever the store contains.
void check_run(const storage::NewRun&);
void check_runs(const std::vector<storage::NewRun>&);  // for create_all()
/// For each run of a create_all() the position of the first run with its id.
std::vector<std::size_t> firsts_of_ids(const std::vector<storage::NewRun>&);
/// The replies of a create_all(), in order. Calls create(run) for the first run with each id.
template <class Runs, class Create>
std::vector<storage::CreateReply> create_in_order(Runs& runs, const Create& create) {
    std::vector<storage::CreateReply> replies;
    for (const auto first : firsts_of_ids(runs))
        if (first < replies.size()) replies.push_back({replies[first].id, false});
        else replies.push_back(create(runs[first]));
    return replies;
}
void check_mail(const storage::Mail&);  // the id: an index of a database takes no longer one
/// Ticks out of order, a run that is left as running, or one that begins again with more than one tick.
void check_batch(const storage::Batch&);

/// The effect of a batch.
struct BatchVerdict {
    storage::AppendReply answer = storage::AppendReply::stored;  // for the caller of append()
    bool writes = false;                                         // false: the batch is fenced, or was stored before
    std::size_t known = 0;                                       // number of its ticks that were stored before
    bool is_last = false;  // no later tick is stored: the batch sets the listed values
    bool leaves = false;   // the row gets the values of Batch::left
};
/// The sum of a tick that was stored; empty if the run has begun again since then.
using SumOfTick = std::function<std::optional<std::uint64_t>(std::uint64_t)>;
/// Error{journal} if the batch does not follow the stored ticks.
BatchVerdict judge(const storage::RunRow&, const storage::Batch&, const SumOfTick&);
/// Whether a tick is the first of its run: no sum comes before its own.
bool is_first(const storage::StoredTick&);
/// The effect of entries on a log.
struct LogVerdict {
    bool is_fenced = false;  // the run has another owner: nothing is written
    std::size_t known = 0;   // number of entries that are already stored
};
/// For a log that has `next` entries. Error{usage} if the new ones do not follow the stored entries, or a body is too
/// long.
LogVerdict judge_log(const storage::RunRow&, std::uint64_t next, const storage::LogEntries&);
/// The remaining room in one answer of read_log().
class LogRoom {
public:
    LogRoom(std::size_t most, std::size_t bytes)
        : left_(std::min(most, storage::most_log_entries)), bytes_left_(std::min(bytes, storage::most_log_bytes)) {}
    bool takes(std::string_view body);

private:
    std::size_t left_, bytes_left_;
    bool is_empty_ = true;
};
/// True if an earlier try of this call created the run. `sums` are the sums of the stored run's first ticks.
bool same_run(const storage::RunRow&, const storage::NewRun&, const std::vector<std::uint64_t>& sums);
/// True if the row is a run with the same start key: the call creates none.
bool same_key(const storage::RunRow&, const storage::NewRun&);
/// Whether the run is ready, or waits and the claim names ids, and fits the lists, `except` and `behind` of the claim.
bool may_claim(const storage::RunRow&, const storage::ClaimRequest&, std::int64_t now);
/// Whether this mail makes the run ready.
inline bool wakes(const storage::Mail& mail, const storage::RunRow& row) {
    return row.status == RunStatus::waiting && (mail.is_urgent || !waits_to_begin(row));
}
/// Changes the row of a claimed run.
void make_running(storage::RunRow&, const std::string& owner, std::int64_t now);
/// Changes the row of a run that no owner has any more; its next owner has a new epoch if it was taken over.
void make_ready(storage::RunRow&, bool is_taken_over, std::int64_t now);
/// The row of a run that this call creates: waiting if its time is later than `now`, or if it has a debounce key.
storage::RunRow first_row(const storage::NewRun&, std::int64_t now);

/// The debounce of a run, beside its row. A start that replaced the first one is known by the id of its NewRun, so that
/// a repeated call takes effect once.
struct DebounceState {
    std::string key;              // NewRun::debounce
    std::int64_t last_start = 0;  // the latest first time, in microseconds since 1970
    std::string starts = "\n";    // the ids of the last starts, each before a line end
};
inline constexpr std::size_t most_debounced_starts = 4000;  // bytes of DebounceState::starts
inline constexpr std::size_t most_debounced_runs = 10;      // the newest of a key, in which a start is looked for
bool has_start(std::string_view starts, const std::string& id);
DebounceState first_debounce(const storage::NewRun&, const storage::RunRow&);
/// Changes a run that waits to begin: a later start with the same debounce key replaces the earlier one.
void replace_start(storage::RunRow&, DebounceState&, const storage::NewRun&, std::int64_t now);

/// Throws DamagedError, which names run and tick, if ticks are missing or their sums do not form a chain. `before` is
/// the sum of the tick before `from`. A first tick may have a higher number than `from`.
void check_ticks(const std::string& run, const std::vector<storage::StoredTick>&, std::uint64_t from,
                 std::uint64_t upto, std::uint64_t before);
[[noreturn]] void tick_is_missing(const std::string& run, std::uint64_t tick);  // throws DamagedError
/// Removes a damaged snapshot: the ticks contain the same information.
void drop_if_damaged(std::optional<storage::Snapshot>&);

[[noreturn]] void no_such_run(const std::string& id);     // throws Error{usage}
[[noreturn]] void id_is_taken(const std::string& id);     // throws Error{usage}
[[noreturn]] void no_such_plan(const std::string& hash);  // throws Error{usage}

/// Leases of the owners in one process. An expired lease is lost once another owner has sent a heartbeat.
class Leases {
public:
    bool heartbeat(const storage::Heartbeat&, std::int64_t now);  // false: the lease is lost, or given back
    /// For an owner whose runs become ready: without a heartbeat so far it never gets a lease, else it would execute
    /// runs that others have claimed.
    void lose(const std::string& owner) { until_[owner].reset(); }
    bool is_alive(const std::string& owner) const;  // its lease is neither lost nor given back
    bool has_lost(const std::string& owner) const;  // lost or gave back its lease

private:
    std::map<std::string, std::optional<std::int64_t>> until_;  // empty: lost
};
/// Throws Error{usage} if the worker's description of itself is too long.
void check_worker(const storage::Heartbeat&);
/// Unfinished runs by queue, workflow, hash and status.
using RunCounts = std::map<std::tuple<std::string, std::string, std::string, RunStatus>, storage::RunCount>;
/// Counts the run in its group, unless the run has ended.
void count_run(RunCounts&, const storage::RunRow&);
/// The groups in their order, at most most_run_counts.
std::vector<storage::RunCount> listed(RunCounts);

template <class T, class One> bool takes(const std::vector<T>& list, const One& one) {
    return list.empty() || std::ranges::find(list, one) != list.end();
}
bool takes(const storage::Filter&, const storage::RunRow&);
std::int64_t wall_microseconds();  // since 1970, by the machine's clock
}
