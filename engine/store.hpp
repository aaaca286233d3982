// Keeps durable runs: their ticks in order, what others send to them, and how they have ended. It holds text and knows
// nothing of events, so that SQLite and PostgreSQL serve alike (engine/store/).
//
//     SqliteStore store("weft.db");
//     Engine engine({.store = &store});                    // outlives the engine
//
// A run belongs to one owner at a time. Its *epoch* grows with each new owner, and each append names the epoch that it
// was made under, so that a former owner changes nothing any more. Every call returns at once; its answer comes on a
// thread of the store's own, or within the call. Calls of one thread take effect in their order. An answer that is an
// exception is Error{journal} if the store could not do it and may be asked again, and Error{usage} if it never will.
// A call that is asked again, because its answer was lost, takes effect once.
//
// Beside its ticks a run may have a *log*: texts that are read by their numbers, as a server gives a run's events to
// its clients. Nothing of it is needed to go on with the run.
#pragma once
#include "engine/describe.hpp"
#include "engine/run_status.hpp"
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
/// What goes into a store, and comes back. In a namespace of its own, because programs have claims and mails, too.
namespace storage {
/// Of a run, from 0 without gaps. The sum covers the sum of the tick before, the number and the body.
struct StoredTick {
    std::uint64_t seq = 0;
    std::string body;
    std::uint64_t sum = 0;
};
std::uint64_t chained_sum(std::uint64_t before, std::uint64_t seq, std::string_view body);

struct Snapshot {
    std::uint64_t upto = 0;  // the number of the first tick that is not in it
    std::string body;
    std::uint64_t sum = 0;  // chained_sum(0, upto, body)
};
/// A declaration, under which ticks are read again.
struct StoredPlan {
    std::string hash, workflow, plan;
};

struct NewRun {
    std::string id, start_key;  // of the key: empty: none; else unique within the workflow
    StoredPlan plan;
    std::string options, forked_from, queue = "default";
    int priority = 0;
    std::string owner;              // whose it is at once, under epoch 1; empty: it is ready, under epoch 0
    std::vector<StoredTick> ticks;  // that it begins with
};
struct Created {
    std::string id;      // the run that has the start key
    bool is_new = true;  // else it was there before, and nothing has changed
};
/// How an owner leaves a run.
struct Left {
    RunStatus status = RunStatus::ready;
    std::optional<std::int64_t> wake_at;  // of a waiting run: when it is ready again, in microseconds since 1970
    std::string outcome;                  // of an ended one: JSON
    std::uint64_t mail = 0;               // of a waiting one: how much was sent to it, as far as its owner knows
};
/// All of it is stored, or nothing.
struct Batch {
    std::string run;
    std::uint64_t epoch = 0;
    std::uint64_t seq = 0;  // of the first tick; without ticks, of the next one
    std::vector<StoredTick> ticks;
    std::vector<std::string> mail;  // the ids of what the ticks have taken from the inbox
    std::optional<Snapshot> snapshot;
    std::optional<StoredPlan> plan;        // from here on
    std::optional<std::string> waits_for;  // what listings say; empty: it is at work
    std::optional<Left> left;
};
/// fenced: the run has another owner, or has ended: nothing was stored. has_mail: stored, but not left as waiting,
/// because mail has come that its owner does not know.
enum class Appended : std::uint8_t { stored, fenced, has_mail };

struct Mail {
    std::string run, id, body;
};
struct Sent {
    RunStatus status = RunStatus::ready;  // of the run
    bool is_new = true;                   // false: this id has been sent before, or the run has ended
};
struct RunRow {
    std::string id, workflow, hash, queue, start_key, forked_from, owner, options, outcome, waits_for;
    RunStatus status = RunStatus::ready;
    int priority = 0;
    std::uint64_t epoch = 0, next_seq = 0, mail = 0;
    std::uint64_t takeovers = 0;                  // owners that have died since its last tick
    std::int64_t created_at = 0, updated_at = 0;  // microseconds since 1970
    std::optional<std::int64_t> wake_at;
};
struct History {
    RunRow run;
    std::optional<Snapshot> snapshot;  // none if it is damaged
    std::vector<StoredTick> ticks;     // with those that are in the snapshot, if they were asked for
    std::vector<Mail> mail;            // that no tick has taken, oldest first
};
/// Empty lists stand for all.
struct Claim {
    std::string owner;
    std::vector<std::string> ids, workflows, hashes, queues;
    std::vector<std::string> except;  // ids of runs that are left alone, whatever else fits
    struct Place {                    // in the order in which runs are claimed
        int priority = 0;
        std::int64_t created_at = 0;  // microseconds since 1970
        bool operator<(const Place& o) const {
            return priority == o.priority ? created_at < o.created_at : priority > o.priority;
        }
    };
    std::optional<Place> behind;  // only runs of a lower priority, or of the same one and created later
    std::size_t most = 1000;
};
struct Filter {
    std::vector<std::string> ids, workflows;
    std::vector<RunStatus> statuses;
    std::string owner;                           // of running ones; empty: anybody, or none
    std::optional<std::int64_t> updated_before;  // microseconds since 1970
    std::size_t most = 1000;                     // the newest
};
struct Worker {
    std::string id;
    std::int64_t lease_ms = 10'000;  // 0: it gives its lease back, and runs that it still has are ready at once
    std::string info;                // for survey(), up to most_worker_info bytes; empty: it is not listed
};
inline constexpr std::size_t most_worker_info = 64 << 10;
struct HeartbeatReply {
    bool alive = true;    // false: the lease is lost, and with it all runs
    std::int64_t at = 0;  // when it was answered, by the store's clock, in microseconds since 1970; 0: it is not known
    struct Inbox {
        std::string run;
        std::uint64_t mail = 0;  // how much was ever sent to it
    };
    std::vector<Inbox> inboxes;  // of this owner's runs with mail that no tick has taken
};
/// Runs that have not ended, in groups.
struct RunCount {
    std::string queue, workflow, hash;
    RunStatus status = RunStatus::ready;
    std::uint64_t runs = 0;
    std::uint64_t taken_over = 0;  // how many of these had an owner that died since their last tick
    std::int64_t oldest = 0;       // when the oldest of them was created, in microseconds since 1970
};
/// A worker with a lease, whose `info` is not empty. Times are the store's, in microseconds since 1970.
struct WorkerRow {
    std::string id, info;
    std::int64_t started_at = 0, lease_until = 0;
};
inline constexpr std::size_t most_run_counts = 10'000, most_workers = 10'000;  // of one survey
struct Survey {
    std::int64_t at = 0;             // when it was made, by the store's clock
    std::vector<RunCount> runs;      // ordered by queue, workflow, hash, status
    std::vector<WorkerRow> workers;  // ordered by id
};
/// Of a run's log, from 0 without gaps.
struct LogEntry {
    std::uint64_t number = 0;
    std::string body;
};
inline constexpr std::size_t most_log_body = 1 << 20;    // bytes of an entry
inline constexpr std::size_t most_log_entries = 10'000;  // of one answer
inline constexpr std::size_t most_log_bytes = 8 << 20;   // of the bodies in one answer
struct LogEntries {
    std::string run;
    std::uint64_t epoch = 0;
    std::vector<LogEntry> entries;  // that follow each other
};
struct Logged {
    bool is_fenced = false;  // the run has another owner: nothing was stored
    std::uint64_t next = 0;  // the number that the next new entry gets
};
struct LogPart {
    std::vector<LogEntry> entries;
    std::uint64_t next = 0;  // as above: there is more as long as the last of these is not the one before it
};
}

/// From any thread.
class Store {
public:
    template <class T> using Then = std::function<void(std::exception_ptr, T)>;
    virtual ~Store() = default;
    /// An id that is taken is Error{usage}; by the same first ticks it is not, as this is the call that is asked again.
    virtual void create(storage::NewRun, Then<storage::Created>) = 0;
    virtual void append(storage::Batch, Then<storage::Appended>) = 0;
    /// With the ticks from this number on, and never less than the snapshot leaves. Error{usage} if there is no such
    /// run; Error{journal} that names the tick if a sum does not fit.
    virtual void load(std::string run, Then<storage::History>, std::uint64_t from = 0) = 0;
    /// What was handed over before an append is stored when that is, unless the answer was an error.
    /// Entries whose numbers are taken are left as they are, whatever these say; without entries it only asks. Unlike
    /// ticks they are taken until the run has another owner: its last one also tells how it ended, and why it waits.
    /// Error{usage}, and nothing is stored, if an entry is missing before these or between them, if a body is too long,
    /// or if there is no such run.
    virtual void write_log(storage::LogEntries, Then<storage::Logged>) = 0;
    /// From this number on, up to `most`, so many bytes of bodies and what one answer holds, but one at least if there
    /// is one and `most` is not 0. Error{usage} if there is no such run; Error{journal} that names the entry if it is
    /// damaged.
    virtual void read_log(std::string run, std::uint64_t from, std::size_t most, Then<storage::LogPart>,
                          std::size_t bytes = storage::most_log_bytes) = 0;
    /// Error{usage} if no run was ever declared so.
    virtual void plan(std::string hash, Then<storage::StoredPlan>) = 0;
    /// Error{usage} if there is no such run. A waiting run is ready then.
    virtual void send(storage::Mail, Then<storage::Sent>) = 0;
    /// Ready runs become the owner's: the highest priority first, and of equal ones the oldest. If ids are named,
    /// waiting runs, too. An owner that has lost its lease gets none.
    virtual void claim(storage::Claim, Then<std::vector<storage::RunRow>>) = 0;
    /// Renews the owner's lease. Runs whose owner has lost its lease, and runs whose time has come, are ready then. A
    /// lease that is over is lost for good as soon as another owner sends a heartbeat. Error{usage} if the info is too
    /// long.
    virtual void heartbeat(storage::Worker, Then<storage::HeartbeatReply>) = 0;
    virtual void list(storage::Filter, Then<std::vector<storage::RunRow>>) = 0;
    /// The runs that have not ended, counted in groups, and the workers that have a lease.
    virtual void survey(Then<storage::Survey>) = 0;
    /// Whether engines of several processes use it at once. Then each of them has a lease (EngineOptions::lease).
    virtual bool is_shared() const noexcept { return false; }
    /// Deletes ended runs with all that is theirs. Gives how many.
    virtual void prune(storage::Filter, Then<std::uint64_t>) = 0;
    /// Calls `act` soon after mail was sent to a run of this owner, or with an empty owner when a run has become ready,
    /// so that nobody has to wait for the next heartbeat. It is a hint only: it may be lost or come without need, so
    /// the receiver asks the store. `act` is called on a thread of the store's and must return at once: it only sets a
    /// flag. It is called until the object that this gives is destroyed, which `act` must not do. Null: this store
    /// gives no hints.
    using Hint = std::function<void(std::string_view owner)>;
    virtual std::shared_ptr<void> on_hint([[maybe_unused]] Hint act) { return nullptr; }
};
}
