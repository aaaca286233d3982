// Keeps durable runs: their ticks in order, their mail, and their ends. A store holds text and does not know events, so
// SQLite and PostgreSQL serve alike (engine/store/).
//
//     SqliteStore store("weft.db");
//     Engine engine({.store = &store});                    // the store outlives the engine
//
// A run belongs to one owner at a time. Its *epoch* grows with each new owner, and each append names the epoch of its
// owner, so the store refuses a former owner. Every call returns immediately; its answer comes on a thread of the
// store, on a loop's thread, or within the call. Calls of one thread take effect in their order. An answer may be an
// exception: Error{journal} if the store failed and the caller may ask again, Error{usage} if the call can never
// succeed. A call that the caller repeats because its answer was lost takes effect once.
//
// A run may also have a *log*: numbered texts, such as the events that a server sends to clients. Execution does not
// need the log.
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
/// The data of a store's calls and answers. Its own namespace, because programs have claims and mails, too.
namespace storage {
/// A tick of a run, numbered from 0 without gaps. The sum covers the previous tick's sum, the number and the body.
struct StoredTick {
    std::uint64_t seq = 0;
    std::string body;
    std::uint64_t sum = 0;
};
/// The checksum of a tick: covers the sum of the tick before it.
std::uint64_t chained_sum(std::uint64_t before, std::uint64_t seq, std::string_view body);

/// The state of a run after some of its ticks.
struct Snapshot {
    std::uint64_t upto = 0;  // number of the first tick after the snapshot
    std::string body;
    std::uint64_t sum = 0;  // chained_sum(0, upto, body)
};
/// A declaration of a workflow, needed to read its ticks.
struct StoredPlan {
    std::string hash, workflow, plan;
};

/// A run that is created, with its first ticks.
struct NewRun {
    std::string id, start_key;  // start_key: unique within the workflow; empty: none
    StoredPlan plan;
    std::string options, forked_from, queue = "default";
    int priority = 0;
    std::string owner;              // owner immediately, under epoch 1; empty: the run is ready, under epoch 0
    std::vector<StoredTick> ticks;  // the first ticks
};
/// The answer to create().
struct CreateReply {
    std::string id;      // the run with the start key
    bool is_new = true;  // false: the run existed before, and nothing has changed
};
/// The state in which an owner leaves a run.
struct RunRelease {
    RunStatus status = RunStatus::ready;
    std::optional<std::int64_t> wake_at;  // a waiting run: when it becomes ready, in microseconds since 1970
    std::string outcome;                  // an ended run: JSON
    std::uint64_t mail = 0;               // a waiting run: the number of mails that its owner knows
};
/// A batch is stored as a whole or not at all.
struct Batch {
    std::string run;
    std::uint64_t epoch = 0;
    std::uint64_t seq = 0;  // number of the first tick, or of the next tick if there are no ticks
    std::vector<StoredTick> ticks;
    std::vector<std::string> mail;  // ids of the mails that the ticks have taken
    std::optional<Snapshot> snapshot;
    std::optional<StoredPlan> plan;        // new plan from this batch on
    std::optional<std::string> waits_for;  // for listings; empty: the run is at work
    std::optional<RunRelease> left;
};
/// fenced: the run has another owner or has ended, and nothing was stored. has_mail: the batch is stored, but the run
/// is not left as waiting, because it has mail that its owner does not know.
enum class AppendReply : std::uint8_t { stored, fenced, has_mail };

/// A message for a run, with an id of its own.
struct Mail {
    std::string run, id, body;
};
/// The answer to send().
struct SendReply {
    RunStatus status = RunStatus::ready;  // of the run
    bool is_new = true;                   // false: the store had this id before, or the run has ended
};
/// A run, as listings show it.
struct RunRow {
    std::string id, workflow, hash, queue, start_key, forked_from, owner, options, outcome, waits_for;
    RunStatus status = RunStatus::ready;
    int priority = 0;
    std::uint64_t epoch = 0, next_seq = 0, mail = 0;
    std::uint64_t takeovers = 0;                  // owners that have died since its last tick
    std::int64_t created_at = 0, updated_at = 0;  // microseconds since 1970
    std::optional<std::int64_t> wake_at;
};
/// A run with all data that its next owner needs.
struct History {
    RunRow run;
    std::optional<Snapshot> snapshot;  // empty if damaged
    std::vector<StoredTick> ticks;     // include those covered by the snapshot, if the caller asked for them
    std::vector<Mail> mail;            // mail that no tick has taken; oldest first
};
/// An empty list means all.
struct ClaimRequest {
    std::string owner;
    std::vector<std::string> ids, workflows, hashes, queues;
    std::vector<std::string> except;  // ids of runs never to claim
    struct QueuePlace {               // position in the order of claims
        int priority = 0;
        std::int64_t created_at = 0;  // microseconds since 1970
        bool operator<(const QueuePlace& o) const {
            return priority == o.priority ? created_at < o.created_at : priority > o.priority;
        }
    };
    std::optional<QueuePlace> behind;  // only runs after this place: lower priority, or same priority and created later
    std::size_t most = 1000;
};
/// The runs of a listing. An empty list means all.
struct Filter {
    std::vector<std::string> ids, workflows;
    std::vector<RunStatus> statuses;
    std::string owner;                           // owner of running runs; empty: any or none
    std::optional<std::int64_t> updated_before;  // microseconds since 1970
    std::size_t most = 1000;                     // maximum count; the newest
};
/// The sign that an owner is alive.
struct Heartbeat {
    std::string id;
    std::int64_t lease_ms = 10'000;  // 0: return the lease, and make the owner's runs ready immediately
    std::string info;                // for survey(), at most most_worker_info bytes; empty: not listed
};
inline constexpr std::size_t most_worker_info = 64 << 10;
/// The answer to heartbeat().
struct HeartbeatReply {
    bool alive = true;    // false: the lease is lost, and with it all runs
    std::int64_t at = 0;  // time of the answer, by the store's clock, in microseconds since 1970; 0: unknown
    struct InboxCount {
        std::string run;
        std::uint64_t mail = 0;  // total number of mails ever sent
    };
    std::vector<InboxCount> inboxes;  // of this owner's runs with untaken mail
};
/// Unfinished runs, counted in groups.
struct RunCount {
    std::string queue, workflow, hash;
    RunStatus status = RunStatus::ready;
    std::uint64_t runs = 0;
    std::uint64_t taken_over = 0;  // runs whose owner died since their last tick
    std::int64_t oldest = 0;       // creation of the oldest, in microseconds since 1970
};
/// A worker with a lease and a nonempty `info`. Times are the store's, in microseconds since 1970.
struct WorkerRow {
    std::string id, info;
    std::int64_t started_at = 0, lease_until = 0;
};
inline constexpr std::size_t most_run_counts = 10'000, most_workers = 10'000;  // maximum of a survey
/// All unfinished runs and all workers, counted.
struct Survey {
    std::int64_t at = 0;             // time of the survey, by the store's clock
    std::vector<RunCount> runs;      // ordered by queue, workflow, hash, status
    std::vector<WorkerRow> workers;  // ordered by id
};
/// An entry of a run's log, numbered from 0 without gaps.
struct LogEntry {
    std::uint64_t number = 0;
    std::string body;
};
inline constexpr std::size_t most_log_body = 1 << 20;    // bytes of one body
inline constexpr std::size_t most_log_entries = 10'000;  // per answer
inline constexpr std::size_t most_log_bytes = 8 << 20;   // total bytes of bodies per answer
/// Entries to write to a log.
struct LogEntries {
    std::string run;
    std::uint64_t epoch = 0;
    std::vector<LogEntry> entries;  // consecutive
};
/// The answer to write_log().
struct LogReply {
    bool is_fenced = false;  // the run has another owner, and nothing was stored
    std::uint64_t next = 0;  // number of the next new entry
};
/// The answer to read_log().
struct LogPart {
    std::vector<LogEntry> entries;
    std::uint64_t next = 0;  // number of the next new entry: more follow if the last entry here is not next - 1
};
}

/// Any thread may call a store.
class Store {
public:
    template <class T> using Then = std::function<void(std::exception_ptr, T)>;
    virtual ~Store() = default;
    /// A taken id is Error{usage}, unless the first ticks are the same: then the call is a repetition.
    virtual void create(storage::NewRun, Then<storage::CreateReply>) = 0;
    virtual void append(storage::Batch, Then<storage::AppendReply>) = 0;
    /// Loads the ticks from this number on, and at least all ticks after the snapshot. Error{usage} if the run does not
    /// exist; Error{journal} that names the tick if its checksum does not match.
    virtual void load(std::string run, Then<storage::History>, std::uint64_t from = 0) = 0;
    /// Writes entries of a log. Entries passed before an append are stored when the append is, unless the answer was an
    /// error. Existing numbers keep their entries; a call without entries only asks for `next`. Unlike ticks, the store
    /// accepts entries until the run has another owner, also after the run's end: its last entry tells how it ended or
    /// why it waits. Error{usage} if the entries leave a gap, a body is too long, or the run does not exist; nothing is
    /// stored then.
    virtual void write_log(storage::LogEntries, Then<storage::LogReply>) = 0;
    /// Reads entries from this number on: at most `most`, `bytes` of bodies and the limits of an answer, but at least
    /// one entry if one exists and `most` is not 0. Gives Error{usage} if the run does not exist; Error{journal} that
    /// names a damaged entry.
    virtual void read_log(std::string run, std::uint64_t from, std::size_t most, Then<storage::LogPart>,
                          std::size_t bytes = storage::most_log_bytes) = 0;
    /// Gives Error{usage} if the store has no such plan.
    virtual void plan(std::string hash, Then<storage::StoredPlan>) = 0;
    /// Error{usage} if the run does not exist. A waiting run becomes ready.
    virtual void send(storage::Mail, Then<storage::SendReply>) = 0;
    /// Ready runs become the owner's: highest priority first, then the oldest. If the claim names ids, waiting runs do,
    /// too. An owner that has lost its lease gets none.
    virtual void claim(storage::ClaimRequest, Then<std::vector<storage::RunRow>>) = 0;
    /// Renews the owner's lease. Runs whose owner has lost its lease, and runs whose time has come, become ready. The
    /// next heartbeat of another owner ends an expired lease for good. Error{usage} if the info is too long.
    virtual void heartbeat(storage::Heartbeat, Then<storage::HeartbeatReply>) = 0;
    virtual void list(storage::Filter, Then<std::vector<storage::RunRow>>) = 0;
    /// Counts the unfinished runs in groups, and lists the workers that have a lease.
    virtual void survey(Then<storage::Survey>) = 0;
    /// Whether engines of several processes use the store at once. Then each engine has a lease (EngineOptions::lease).
    virtual bool is_shared() const noexcept { return false; }
    /// Deletes ended runs with all their data. Returns their number.
    virtual void prune(storage::Filter, Then<std::uint64_t>) = 0;
    /// Calls `act` soon after a run of this owner gets mail, or with an empty owner when a run becomes ready, so that
    /// the receiver need not wait for the next heartbeat. A hint may be lost or superfluous, so the receiver asks the
    /// store. A thread of the store calls `act`, which must return immediately: it only sets a flag. The calls end with
    /// the destruction of the returned object; `act` must not destroy it. Null: this store gives no hints.
    using Hint = std::function<void(std::string_view owner)>;
    virtual std::shared_ptr<void> on_hint([[maybe_unused]] Hint act) { return nullptr; }
    /// Loads only a run's mail that no tick has taken. Error{usage} if the run does not exist.
    virtual void load_mail(std::string run, Then<std::vector<storage::Mail>>);
};
}
