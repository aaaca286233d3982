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
#include "engine/storage/model_limits.hpp"
#include "engine/storage/queues.hpp"
#include "engine/storage/runs.hpp"
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
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
    /// Ready runs become the owner's: highest priority first, then the oldest, within the limits of their queues. If
    /// the claim names ids, waiting runs do, too, beyond all limits, but none before its NewRun::not_before. An owner
    /// that has lost its lease gets none.
    virtual void claim(storage::ClaimRequest, Then<std::vector<storage::RunRow>>) = 0;
    /// Renews the owner's lease. Runs whose owner has lost its lease, and runs whose time has come, become ready. The
    /// next heartbeat of another owner ends an expired lease for good. Error{usage} if the info is too long.
    virtual void heartbeat(storage::Heartbeat, Then<storage::HeartbeatReply>) = 0;
    virtual void list(storage::Filter, Then<std::vector<storage::RunRow>>) = 0;  // the newest first
    /// Replaces the limits of a queue; limits of nothing remove them. Error{usage} if they contradict each other, or
    /// the store has too many limited queues or cannot limit any, as this default.
    virtual void set_limits(storage::QueueLimits, Then<bool>);  // the answer says nothing
    /// Replaces the limits of a model; limits of nothing remove them. Error{usage} as for set_limits().
    virtual void set_model_limit(storage::ModelLimit, Then<bool>);     // the answer says nothing
    virtual void model_limits(Then<std::vector<storage::ModelFlow>>);  // ordered by model
    /// Takes a block of a model's limit for calls that wait now, by the rules of engine/store/model_flow.hpp. A block
    /// stays taken if the answer was lost.
    virtual void take_quota(storage::QuotaRequest, Then<storage::QuotaReply>);
    /// Counts the unfinished runs in groups, and lists the limited queues and the workers that have a lease.
    virtual void survey(Then<storage::Survey>) = 0;
    /// Whether engines of several processes use the store at once. Then each engine has a lease (EngineOptions::lease).
    virtual bool is_shared() const noexcept { return false; }
    /// The databases of the store in the order of their numbers, each with leases of its own. Usually only the store.
    virtual std::vector<Store*> shards() { return {this}; }
    /// The number of the shard that gets a new run with this id.
    virtual std::size_t shard_of([[maybe_unused]] std::string_view run) const { return 0; }
    /// Whether another shard than shard_of() may have a run with this id.
    virtual bool may_be_elsewhere([[maybe_unused]] std::string_view run) const { return false; }
    /// For each id the number of the shard that has this run; if none has it, shard_of(). Error{journal} if a shard
    /// that may have it does not answer.
    virtual void find_shards(std::vector<std::string> runs, Then<std::vector<std::size_t>>);
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
    /// run whose id or start key the store has, or an earlier one here: a repeated id gets the first one's reply.
    /// The default calls create() for each.
    virtual void create_all(std::vector<storage::NewRun>, Then<std::vector<storage::CreateReply>>);
};
}
