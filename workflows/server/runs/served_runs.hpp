// All runs of a server: starts, finds, lists and cancels them, and resumes those of a store.
//
//     const auto runs = std::make_shared<ServedRuns>(engine, workflows, options);
//     runs->restore();                                             // before the server listens; waits for the store
//     auto run = runs->start("hello", std::move(request), {});     // throws Problem
//     runs->find("KwsB9y8g68");
//
// Runs that have ended are kept until there are too many of them, the oldest go first. A store still has those: `weft
// runs` lists them. If processes share the store, it may be away for so long that the runs of this one leave memory:
// they are taken up again when it is back. Used on the server's loop, but for what runs tell when they end.
#pragma once
#include "workflows/server/runs/problem.hpp"
#include "workflows/server/runs/served_run.hpp"
#include <set>
#include <unordered_map>

namespace weft::server {
struct RunLimits {
    std::size_t at_once = 1000, at_once_of_caller = 1000;  // further ones are refused with 429
    /// Bytes that those may hold together: their inputs and answers, as much as these take in memory, and their logs. A
    /// request beyond that is refused with 503.
    std::size_t open_bytes = 512 << 20;
    std::size_t kept = 1000;                          // that have ended
    std::size_t kept_bytes = 256 << 20;               // of the logs of these
    std::optional<std::chrono::nanoseconds> timeout;  // of each run
    LogLimits log;
};
struct RunsOptions {
    Store* store = nullptr;  // the engine's
    RunLimits limits;
    std::function<void(std::string_view)> note;  // what goes wrong without anybody asking
};
class ServedRuns : public std::enable_shared_from_this<ServedRuns> {
public:
    using Run = std::shared_ptr<ServedRun>;
    ServedRuns(Engine&, std::vector<ServedWorkflow>, RunsOptions);
    /// Runs of an earlier server in this store go on. If processes share the store, and another one has runs of a
    /// server, this blocks up to 12 s: until these are free because that process has died. Throws what the store
    /// throws.
    void restore();

    const std::vector<ServedWorkflow>& workflows() const { return workflows_; }
    const ServedWorkflow& workflow(std::string_view name) const;  // throws Problem 404
    /// Throws Problem: 400, 404, 409, 429, 503. `caller`: whom it counts for.
    Run start(std::string_view workflow, RunRequest, RunOptions, std::size_t caller = 0);
    Run find(const std::string& handler) const;  // or its run id; throws Problem 404
    struct Listing {
        std::vector<std::string> states, workflows;  // empty: all; waiting: those that run, and wait for a human
        std::size_t most = 1000;
    };
    std::vector<Run> list(const Listing&) const;  // the newest first
    /// Throws Problem 404 for one that is not there, or has ended. Returns when it has.
    awaitable<void> cancel(std::string handler);
    /// Forgets one that has ended, in the store too.
    awaitable<void> purge(std::string handler);
    /// The server ends: what is stored goes on later, all others are cancelled. Returns when no run goes on.
    awaitable<void> leave();
    std::size_t running() const;
    /// Throws Problem 503 if there is no room for an answer that is so long. A short one is always taken, since a run
    /// may end by it.
    void make_room(const ServedRun&, std::size_t bytes);
    std::size_t open_bytes() const;

private:
    struct EndedRun {
        std::string id;
        std::size_t bytes;
    };
    Run add(const Run&, std::size_t bytes, std::size_t caller);
    void take_back(const ServedRun&, const Run& before, std::size_t caller);
    void count_end(const ServedRun&, std::size_t caller);   // with the lock
    void check_room(std::size_t bytes) const;               // with the lock; throws Problem 503
    void count_given(const ServedRun&, std::size_t bytes);  // with the lock
    void forget(std::string id);                            // with the lock
    awaitable<void> watch(Run);
    void take_up_later(const std::string& id, std::unique_lock<std::mutex>&);
    static awaitable<void> take_up_lost(std::weak_ptr<ServedRuns>);
    awaitable<bool> look_for_lost();  // false: there are none any more
    void give_up(const std::string& id, Code, const std::string& why);
    std::vector<storage::RunRow> stored_rows(std::vector<RunStatus>, std::size_t most) const;
    void wait_for_leases() const;
    struct Told;  // of a log in a store
    static awaitable<Told> told_of(Store&, const storage::RunRow&);
    void restore_all(const std::vector<storage::RunRow>&);
    awaitable<void> restore(storage::RunRow);
    void restore_ended(const storage::RunRow&, const std::string& handler, const Told&);
    void restore_running(const storage::RunRow&, const std::string& handler, const nlohmann::json& input, Told);
    void put(const Run&);  // in the place of what is known under its names; with the lock
    void ended(ServedRun&, std::size_t caller);
    Engine& engine_;
    const std::vector<ServedWorkflow> workflows_;
    const RunsOptions options_;
    const std::shared_ptr<std::atomic<std::size_t>> logs_;  // bytes of those that have not ended
    mutable std::mutex mutex_;
    std::unordered_map<std::string, Run> by_handler_, by_id_;
    std::deque<EndedRun> ended_;  // the oldest first
    std::size_t ended_bytes_ = 0;
    std::size_t running_ = 0;
    std::unordered_map<std::size_t, std::size_t> running_of_;  // by caller
    std::unordered_map<std::string, std::size_t> given_of_;    // bytes in memory, by run
    std::size_t given_ = 0;                                    // of all of them
    std::set<std::string> lost_;  // ids of runs that have left memory because their lease was over
    bool let_go_ = false, looks_for_lost_ = false;
};
}
