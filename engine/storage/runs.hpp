// The data of runs in a store (engine/store.hpp): ticks, mail, logs, and the rows of listings. Their own namespace,
// because programs have mails, too.
#pragma once
#include "engine/run_status.hpp"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::storage {
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
struct StoredPlan {    // a declaration of a workflow, needed to read its ticks
    std::string hash,  // identifies the declaration
        workflow,      // the workflow's name
        plan;          // text of the declaration
};
inline constexpr std::int64_t longest_debounce = 366LL * 24 * 3600 * 1'000'000;  // microseconds
struct NewRun {                                                                  // a run that is created
    std::string id,                                                              // one line, unique in the store
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
    /// Without an owner: while a run of the workflow with this debounce key waits to begin, the call creates none. It
    /// replaces that run's tick, declaration, options, queue and priority, and moves its first time to `not_before`,
    /// but to no time later than `longest` after the creation of that run. Empty: none.
    std::string debounce;
    std::int64_t longest = longest_debounce;  // microseconds
    std::vector<StoredTick> ticks;            // the first ticks; the number of the first one may be any
};
inline constexpr std::size_t most_new_runs = 1000;  // maximum runs of one create_all()

struct CreateReply {     // the answer to create()
    std::string id;      // the run with the start key or the debounce key
    bool is_new = true;  // false: the run existed before, and nothing but a debounced run has changed
};
struct RunRelease {                       // the state in which an owner leaves a run
    RunStatus status = RunStatus::ready;  // any but running
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
    std::vector<std::string> mail;         // ids of the mails that the ticks have taken
    bool begins_again = false;             // the store deletes the earlier ticks, the snapshot, and older mail
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
        id,                  // the mail's own: a second one is not stored, as long as the store knows the first
        body;                // JSON (journal::MailRecord)
    bool is_urgent = false;  // makes a run ready before its time (NewRun::not_before): a cancellation
    bool only_asks = false;  // stores nothing: the answer tells whether the store has this id
};
/// Number of a run's newest mails that a store knows. It knows those that were taken before, too, until the run has
/// begun again twice.
inline constexpr std::size_t most_known_mail = 1000;
inline constexpr std::size_t most_unread_mail = 1000;           // mails that no tick has taken: no signal beyond
inline constexpr std::size_t most_unread_mail_bytes = 8 << 20;  // of their bodies
/// Throws Error{usage} if a signal of this size does not fit beside the mail that no tick has taken.
void check_room_for_signal(const std::string& run, const std::vector<Mail>& unread, std::size_t bytes);
struct SendReply {                        // the answer to send()
    RunStatus status = RunStatus::ready;  // of the run
    bool is_new = true;                   // false: the store had this id before, or the run has ended
    bool is_known = false;                // the store had this id before
};
struct RunRow {                           // a run, as listings show it
    std::string id,                       // unique in the store
        workflow,                         // the workflow's name
        hash,                             // of the present declaration: see Store::plan
        queue,                            // the queue from which workers claim it
        start_key,                        // empty: none
        forked_from,                      // id of the original run; empty: none
        owner,                            // the executing engine
        options,                          // RunOptions::stored
        outcome,                          // RunRelease::outcome; empty before the end
        waits_for;                        // Batch::waits_for; mail empties it
    RunStatus status = RunStatus::ready;  // only a running run has an owner
    int priority = 0;                     // higher runs are claimed first
    std::uint64_t epoch = 0;              // count of claims
    std::uint64_t next_seq = 0;           // number of the next tick
    std::uint64_t mail = 0;               // total number of mails ever sent
    std::uint64_t takeovers = 0;          // owners that have died since its last tick
    std::int64_t created_at = 0,          // microseconds since 1970
        updated_at = 0;                   // microseconds since 1970
    std::optional<std::int64_t> wake_at;  // RunRelease::wake_at
};
/// Whether the run has had no owner yet, and waits for its time (NewRun::not_before).
inline bool waits_to_begin(const RunRow& row) { return row.status == RunStatus::waiting && row.epoch == 0; }
struct History {  // a run with all data that its next owner needs
    RunRow run;
    std::optional<Snapshot> snapshot;  // empty if damaged
    std::vector<StoredTick> ticks;     // include those covered by the snapshot, if the caller asked for them
    std::vector<Mail> mail;            // mail that no tick has taken; oldest first
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
