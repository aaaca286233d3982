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
// A run may also have a *log*: numbered texts, such as a server's events for clients. Execution does not need it.
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
struct StoredTick {         // a tick of a run
    std::uint64_t seq = 0;  // its number, without gaps; from 0, or from the tick by which the run began again
    std::string body;       // JSON (engine/journal/record.hpp), which the store does not read
    std::uint64_t sum = 0;  // chained_sum() of the previous tick's sum, the number and the body; before the first: 0
};
std::uint64_t chained_sum(std::uint64_t before, std::uint64_t seq, std::string_view body);  // a tick's checksum
struct Snapshot {            // the state of a run after some of its ticks
    std::uint64_t upto = 0;  // number of the first tick after the snapshot
    std::string body;        // JSON (journal::SnapshotRecord)
    std::uint64_t sum = 0;   // chained_sum(0, upto, body)
};
struct StoredPlan {                    // a declaration of a workflow, needed to read its ticks
    std::string hash, workflow, plan;  // identifies the declaration; the workflow's name; the declaration's text
};
struct NewRun {             // a run that is created
    std::string id,         // one line, unique in the store
        start_key;          // unique within the workflow; empty: none
    StoredPlan plan;        // of its workflow
    std::string options,    // RunOptions::stored
        forked_from,        // id of the original run; empty: none
        queue = "default";  // the queue from which workers claim it
    int priority = 0;       // higher runs are claimed first
    std::string owner;      // owner immediately, under epoch 1; empty: the run is ready, under epoch 0
    /// Without an owner: the run waits, under epoch 0, until this time, in microseconds since 1970. Before, only urgent
    /// mail makes it ready, and no claim takes it.
    std::optional<std::int64_t> not_before;
    std::vector<StoredTick> ticks;  // the first ticks; the number of the first one may be any
};
struct CreateReply {     // the answer to create()
    std::string id;      // the run with the start key
    bool is_new = true;  // false: the run existed before, and nothing has changed
};
inline constexpr std::size_t most_new_runs = 1000;  // of one call
struct RunRelease {                                 // the state in which an owner leaves a run
    RunStatus status = RunStatus::ready;            // any but running
    std::optional<std::int64_t> wake_at;            // a waiting run: when it becomes ready, in microseconds since 1970
    std::string outcome;                            // an ended run: JSON
    std::uint64_t mail = 0;                         // a waiting run: the number of mails that its owner knows
};
/// A batch is stored as a whole or not at all.
struct Batch {
    std::string run;
    std::uint64_t epoch = 0;
    std::uint64_t seq = 0;  // number of the first tick, or of the next tick if there are no ticks
    std::vector<StoredTick> ticks;
    std::vector<std::string> mail;         // ids of the mails that the ticks have taken
    bool begins_again = false;             // the store deletes the earlier ticks and the snapshot
    std::optional<Snapshot> snapshot;      // replaces an older one
    std::optional<StoredPlan> plan;        // new plan from this batch on
    std::optional<std::string> waits_for;  // for listings; empty: the run is at work
    std::optional<RunRelease> left;        // set: the owner leaves the run, unless the answer is has_mail
};
enum class AppendReply : std::uint8_t {  // the answer to append()
    stored,                              // by this call, or by an earlier try of it
    fenced,                              // the run has another owner or has ended, and nothing was stored
    has_mail,  // stored, but the run is not left as waiting, because it has mail that its owner does not know
};
struct Mail {                // a message for a run
    std::string run,         // id of the run
        id,                  // the mail's own: a second one with this id is not stored
        body;                // JSON (journal::MailRecord)
    bool is_urgent = false;  // makes a run ready before its time (NewRun::not_before): a cancellation
};
struct SendReply {                        // the answer to send()
    RunStatus status = RunStatus::ready;  // of the run
    bool is_new = true;                   // false: the store had this id before, or the run has ended
};
struct RunRow {                                       // a run, as listings show it
    std::string id,                                   // unique in the store
        workflow,                                     // the workflow's name
        hash,                                         // of the present declaration: see Store::plan
        queue,                                        // the queue from which workers claim it
        start_key,                                    // empty: none
        forked_from,                                  // id of the original run; empty: none
        owner, options,                               // the executing engine; RunOptions::stored
        outcome,                                      // RunRelease::outcome; empty before the end
        waits_for;                                    // Batch::waits_for; mail empties it
    RunStatus status = RunStatus::ready;              // only a running run has an owner
    int priority = 0;                                 // higher runs are claimed first
    std::uint64_t epoch = 0, next_seq = 0, mail = 0;  // count of claims; the next tick's number; mails ever sent
    std::uint64_t takeovers = 0;                      // owners that have died since its last tick
    std::int64_t created_at = 0, updated_at = 0;      // microseconds since 1970
    std::optional<std::int64_t> wake_at;              // RunRelease::wake_at
};
/// Whether the run has had no owner yet, and waits for its time (NewRun::not_before).
inline bool waits_to_begin(const RunRow& row) { return row.status == RunStatus::waiting && row.epoch == 0; }
struct History {  // a run with all data that its next owner needs
    RunRow run;
    std::optional<Snapshot> snapshot;  // empty if damaged
    std::vector<StoredTick> ticks;     // include those covered by the snapshot, if the caller asked for them
    std::vector<Mail> mail;            // mail that no tick has taken; oldest first
};
struct ClaimRequest {  // an empty list means all
    std::string owner;
    std::vector<std::string> ids, workflows, hashes, queues;  // hashes of declarations that the owner can execute
    std::vector<std::string> except;                          // ids of runs never to claim
    struct QueuePlace {                                       // position in the order of claims
        int priority = 0;                                     // a higher one comes first
        std::int64_t created_at = 0;                          // microseconds since 1970
        bool operator<(const QueuePlace& o) const {
            return priority == o.priority ? created_at < o.created_at : priority > o.priority;
        }
    };
    std::optional<QueuePlace> behind;  // only runs after this place: lower priority, or same priority and created later
    std::size_t most = 1000;           // maximum count
};
struct Filter {                                  // the runs of a listing; an empty list means all
    std::vector<std::string> ids, workflows;     // names of workflows
    std::vector<RunStatus> statuses;             // any of these
    std::string owner;                           // owner of running runs; empty: any or none
    std::optional<std::int64_t> updated_before;  // microseconds since 1970
    std::size_t most = 1000;                     // maximum count; the newest
};
struct Heartbeat {                   // the sign that an owner is alive
    std::string id;                  // the owner's
    std::int64_t lease_ms = 10'000;  // 0: return the lease, and make the owner's runs ready immediately
    std::string info;                // for survey(), at most most_worker_info bytes; empty: not listed
};
inline constexpr std::size_t most_worker_info = 64 << 10;  // bytes
struct HeartbeatReply {                                    // the answer to heartbeat()
    bool alive = true;                                     // false: the lease is lost, and with it all runs
    std::int64_t at = 0;  // time of the answer, by the store's clock, in microseconds since 1970; 0: unknown
    struct InboxCount {   // the mail of one run
        std::string run;
        std::uint64_t mail = 0;  // total number of mails ever sent
    };
    std::vector<InboxCount> inboxes;  // of this owner's runs with untaken mail
};
struct RunCount {                         // unfinished runs of one group
    std::string queue, workflow, hash;    // names of their queue and workflow; identifies their declaration
    RunStatus status = RunStatus::ready;  // ready, running or waiting
    std::uint64_t runs = 0;
    std::uint64_t taken_over = 0;  // runs whose owner died since their last tick
    std::int64_t oldest = 0;       // creation of the oldest, in microseconds since 1970
};
/// A worker with a lease and a nonempty `info`. Times are the store's, in microseconds since 1970.
struct WorkerRow {
    std::string id,               // the owner's
        info;                     // of its last heartbeat
    std::int64_t started_at = 0,  // time of its first heartbeat
        lease_until = 0;          // end of the lease, unless another heartbeat comes
};
inline constexpr std::size_t most_run_counts = 10'000,  // maximum groups of a survey
    most_workers = 10'000;                              // maximum workers of a survey
struct Survey {                                         // all unfinished runs and all workers, counted
    std::int64_t at = 0;                                // time of the survey, by the store's clock
    std::vector<RunCount> runs;                         // ordered by queue, workflow, hash, status
    std::vector<WorkerRow> workers;                     // ordered by id
};
struct LogEntry {              // an entry of a run's log
    std::uint64_t number = 0;  // from 0 without gaps
    std::string body;          // text of at most most_log_body bytes
};
inline constexpr std::size_t most_log_body = 1 << 20;    // bytes of one body
inline constexpr std::size_t most_log_entries = 10'000;  // per answer
inline constexpr std::size_t most_log_bytes = 8 << 20;   // total bytes of bodies per answer
struct LogEntries {                                      // entries to write to a log
    std::string run;
    std::uint64_t epoch = 0;
    std::vector<LogEntry> entries;  // consecutive
};
struct LogReply {            // the answer to write_log()
    bool is_fenced = false;  // the run has another owner, and nothing was stored
    std::uint64_t next = 0;  // number of the next new entry
};
struct LogPart {                    // the answer to read_log()
    std::vector<LogEntry> entries;  // consecutive, from the requested number on
    std::uint64_t next = 0;         // number of the next new entry: more follow if the last entry here is not next - 1
};
}

/// Any thread may call a store.
class Store {
public:
    template <class T> using Then = std::function<void(std::exception_ptr, T)>;  // gets the answer, or an exception
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
    virtual void plan(std::string hash, Then<storage::StoredPlan>) = 0;  // Error{usage} if the store has no such plan
    /// Error{usage} if the run does not exist. A waiting run becomes ready, unless it waits for its first time
    /// (NewRun::not_before) and the mail is not urgent.
    virtual void send(storage::Mail, Then<storage::SendReply>) = 0;
    /// Ready runs become the owner's: highest priority first, then the oldest. If the claim names ids, waiting runs do,
    /// too, but none before its NewRun::not_before. An owner that has lost its lease gets none.
    virtual void claim(storage::ClaimRequest, Then<std::vector<storage::RunRow>>) = 0;
    /// Renews the owner's lease. Runs whose owner has lost its lease, and runs whose time has come, become ready. The
    /// next heartbeat of another owner ends an expired lease for good. Error{usage} if the info is too long.
    virtual void heartbeat(storage::Heartbeat, Then<storage::HeartbeatReply>) = 0;
    virtual void list(storage::Filter, Then<std::vector<storage::RunRow>>) = 0;  // the newest first
    /// Counts the unfinished runs in groups, and lists the workers that have a lease.
    virtual void survey(Then<storage::Survey>) = 0;
    /// Whether engines of several processes use the store at once. Then each engine has a lease (EngineOptions::lease).
    virtual bool is_shared() const noexcept { return false; }
    /// Deletes ended runs with all their data. Returns their number.
    virtual void prune(storage::Filter, Then<std::uint64_t>) = 0;
    /// Calls `act` soon after a run of this owner gets mail, or with an empty owner when a run becomes ready, so that
    /// the receiver need not wait for the next heartbeat. A hint may be lost or superfluous: the receiver asks the
    /// store. A thread of the store calls `act`, which only sets a flag and returns. The calls end with the destruction
    /// of the returned object; `act` must not destroy it. Null: this store gives no hints.
    using Hint = std::function<void(std::string_view owner)>;
    virtual std::shared_ptr<void> on_hint([[maybe_unused]] Hint act) { return nullptr; }  // see Hint
    /// Loads only a run's mail that no tick has taken. Error{usage} if the run does not exist.
    virtual void load_mail(std::string run, Then<std::vector<storage::Mail>>);
    /// Creates up to most_new_runs of one declaration, without owners and with one tick each: all or none. Creates no
    /// run whose id or start key the store has, or an earlier one here. The default calls create() for each.
    virtual void create_all(std::vector<storage::NewRun>, Then<std::vector<storage::CreateReply>>);
};
}
