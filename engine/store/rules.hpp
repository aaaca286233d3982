// What the stores have in common: what an append comes to, whom a lease protects, what a filter takes. Each store keeps
// its rows where it likes, and asks here what to do with them.
#pragma once
#include "engine/store.hpp"
#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace weft::storage {
/// Not empty, UTF-8, and without control characters: an id is shown, and is part of commands that are pasted.
bool can_be_run_id(std::string_view);
/// Error{usage} if the batch is not in itself what a store can take.
void check_run(const storage::NewRun&);
void check_batch(const storage::Batch&);

/// What is to be done with a batch.
struct Verdict {
    storage::Appended answer = storage::Appended::stored;
    bool writes = false;    // else it is fenced, or was stored before
    std::size_t known = 0;  // how many of its ticks were stored before
    bool is_last = false;   // nothing was stored after it: what listings say is up to it
    bool leaves = false;
};
/// `sum_of` gives the sum of a stored tick. Error{journal} if the batch does not follow what is stored.
Verdict judge(const storage::RunRow&, const storage::Batch&, const std::function<std::uint64_t(std::uint64_t)>& sum_of);
/// What is to be done with entries of a log that has `next` of them. Error{usage} if they do not follow what is there,
/// or a body is too long.
struct LogVerdict {
    bool is_fenced = false;
    std::size_t known = 0;  // how many of the entries are there
};
LogVerdict judge_log(const storage::RunRow&, std::uint64_t next, const storage::LogEntries&);
/// What one answer of read_log() still takes.
class LogRoom {
public:
    LogRoom(std::size_t most, std::size_t bytes)
        : left_(std::min(most, storage::most_log_entries)), bytes_left_(std::min(bytes, storage::most_log_bytes)) {}
    bool takes(std::string_view body);

private:
    std::size_t left_, bytes_left_;
    bool is_empty_ = true;
};
/// Whether this call made that run: it is asked again. The run's first ticks have these sums.
bool same_run(const storage::RunRow&, const storage::NewRun&, const std::vector<std::uint64_t>& sums);
/// The run is there under this start key: nothing is to be created.
bool same_key(const storage::RunRow&, const storage::NewRun&);
bool may_claim(const storage::RunRow&, const storage::Claim&);
/// Of a run that this call makes.
storage::RunRow first_row(const storage::NewRun&, std::int64_t now);

/// DamagedError, which names run and tick, if ticks are missing or their sums do not follow each other. `before` is the
/// sum of the tick before `from`.
void check_ticks(const std::string& run, const std::vector<storage::StoredTick>&, std::uint64_t from,
                 std::uint64_t upto, std::uint64_t before);
[[noreturn]] void tick_is_missing(const std::string& run, std::uint64_t tick);
/// Takes out one that is damaged: the ticks tell all that it tells.
void drop_if_damaged(std::optional<storage::Snapshot>&);

[[noreturn]] void no_such_run(const std::string& id);
[[noreturn]] void id_is_taken(const std::string& id);
[[noreturn]] void no_such_plan(const std::string& hash);

/// Of the owners of one process. A lease that is over is lost once another owner has beaten.
class Leases {
public:
    bool beat(const storage::Worker&, std::int64_t now);  // false: lost, or given back
    bool is_alive(const std::string& owner) const;
    bool has_lost(const std::string& owner) const;

private:
    std::map<std::string, std::optional<std::int64_t>> until_;  // empty: lost
};
/// Error{usage} if what it says of itself is too long.
void check_worker(const storage::Worker&);
/// Adds a run that has not ended to its group.
using RunCounts = std::map<std::tuple<std::string, std::string, std::string, RunStatus>, storage::RunCount>;
void count_run(RunCounts&, const storage::RunRow&);
std::vector<storage::RunCount> listed(RunCounts);

template <class T, class One> bool takes(const std::vector<T>& list, const One& one) {
    if (list.empty()) return true;
    for (auto& each : list)
        if (each == one) return true;
    return false;
}
bool takes(const storage::Filter&, const storage::RunRow&);
std::int64_t wall_microseconds();
}
