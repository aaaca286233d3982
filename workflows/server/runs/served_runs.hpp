// Starts, finds, lists and cancels the runs of a server, and resumes the stored ones.
//
//     const auto runs = std::make_shared<ServedRuns>(engine, workflows, options);
//     runs->restore();                                             // before the server listens; waits for the store
//     auto run = runs->start("hello", std::move(request), {});     // throws Problem
//     runs->find("KwsB9y8g68");
//
// Ended runs stay in memory until there are too many; then the oldest go. A store keeps them: `weft runs` lists them.
// If a shared store fails for longer than a lease, the runs leave memory, and continue when the store answers again.
// Only the server's loop calls these functions, any thread find(); ended runs report from their own loops.
#pragma once
#include "workflows/server/runs/problem.hpp"
#include "workflows/server/runs/served_run.hpp"
#include <set>
#include <unordered_map>

namespace weft::server {
struct RunLimits {
    std::size_t at_once = 1000, at_once_of_caller = 1000;  // further ones get 429
    /// Maximum bytes in memory of all unfinished runs: inputs, answers and logs. A request beyond that gets 503.
    std::size_t open_bytes = 512 << 20;
    std::size_t kept = 1000;                          // maximum ended runs
    std::size_t kept_bytes = 256 << 20;               // maximum bytes of their logs
    std::optional<std::chrono::nanoseconds> timeout;  // each run's
    LogLimits log;
};
struct RunsOptions {
    Store* store = nullptr;  // the engine's
    RunLimits limits = {};
    std::function<void(std::string_view)> note = {};  // takes warnings that no request caused
};
class ServedRuns : public std::enable_shared_from_this<ServedRuns> {
public:
    using RunPointer = std::shared_ptr<ServedRun>;
    ServedRuns(Engine&, std::vector<ServedWorkflow>, RunsOptions);
    /// Continues the stored runs of an earlier server. If another process has served runs of a shared store, blocks up
    /// to 12 s, in case that process has died and its lease ends. Throws the store's errors.
    void restore();

    const std::vector<ServedWorkflow>& workflows() const { return workflows_; }
    const ServedWorkflow& workflow(std::string_view name) const;  // throws Problem 404
    /// Throws Problem: 400, 404, 409, 429, 503. The run counts for the limits of `caller`.
    RunPointer start(std::string_view workflow, RunRequest, RunOptions, std::size_t caller = 0);
    /// The run with this start key (RunOptions::key), read from the store if it has ended; null: none. Throws Problem:
    /// 400 if the runs are not stored, 409 for a run of another process or command; and the store's errors.
    awaitable<RunPointer> find_key(std::string workflow, std::string key);
    RunPointer find(const std::string& handler) const;  // or its run id; throws Problem 404
    bool executes(const std::string& run) const;        // whether an unfinished run has this id
    struct ServedRunFilter {
        std::vector<std::string> states, workflows;  // empty: all; waiting: running, with an open question
        std::size_t most = 1000;
    };
    std::vector<RunPointer> list(const ServedRunFilter&) const;  // the newest first
    /// Returns after the end of the run. Throws Problem 404 for an unknown or ended run.
    awaitable<void> cancel(std::string handler);
    /// Removes a run, in the store too, and cancels it before if it is unfinished. Throws Problem.
    awaitable<void> purge(std::string handler);
    /// Ends all runs here: stored runs continue later, others are cancelled. Returns after the last run has left.
    awaitable<void> leave();
    std::size_t running() const;
    /// Throws Problem 503 if memory has no room for an answer of this size. A short answer always has room, since a
    /// run may end by it.
    void make_room(const ServedRun&, std::size_t bytes);
    std::size_t open_bytes() const;

private:
    struct EndedRun {
        std::string id;
        std::size_t bytes;
    };
    RunPointer add(const RunPointer&, std::size_t bytes, std::size_t caller);
    void take_back(const ServedRun&, const RunPointer& before, std::size_t caller);
    // For these four the caller holds the lock.
    void count_end(const ServedRun&, std::size_t caller);
    void check_room(std::size_t bytes) const;  // throws Problem 503
    void count_given(const ServedRun&, std::size_t bytes);
    void forget(std::string id);
    awaitable<void> watch(RunPointer);
    void take_up_later(const std::string& id, std::unique_lock<std::mutex>&);
    static awaitable<void> take_up_lost(std::weak_ptr<ServedRuns>);
    awaitable<bool> look_for_lost();  // false if no lost run is left
    void give_up(const std::string& id, Code, const std::string& why);
    std::vector<storage::RunRow> stored_rows(std::vector<RunStatus>, std::size_t most) const;
    void wait_for_leases() const;
    RunPointer find_by_id(const std::string& id) const;  // null: none
    static bool is_of_a_server(const storage::RunRow&);
    struct LoggedState;  // content of a stored log
    static awaitable<LoggedState> told_of(Store&, const storage::RunRow&);
    awaitable<LoggedState> told_by_owner(const storage::RunRow&);
    void restore_all(const std::vector<storage::RunRow>&);
    awaitable<void> restore(storage::RunRow);
    void restore_ended(const storage::RunRow&, const std::string& handler, const LoggedState&);
    void restore_running(const storage::RunRow&, const std::string& handler, const nlohmann::json& input, LoggedState);
    void put(const RunPointer&);  // replaces runs of the same ids; the caller holds the lock
    void ended(ServedRun&, std::size_t caller);
    Engine& engine_;
    const std::vector<ServedWorkflow> workflows_;
    const RunsOptions options_;
    const std::shared_ptr<std::atomic<std::size_t>> logs_;  // bytes of the logs that have not ended
    mutable std::mutex mutex_;
    std::unordered_map<std::string, RunPointer> by_handler_, by_id_;
    std::deque<EndedRun> ended_;  // the oldest first
    std::size_t ended_bytes_ = 0;
    std::size_t running_ = 0;
    std::unordered_map<std::size_t, std::size_t> running_of_;  // number of runs by caller
    std::unordered_map<std::string, std::size_t> given_of_;    // bytes in memory, by run
    std::size_t given_ = 0;                                    // bytes in memory of all runs
    std::set<std::string> lost_;                               // ids of runs that have left memory with their lease
    bool let_go_ = false, looks_for_lost_ = false;
};
}
