// Keeps a loop's stored runs in step with their store and the engine's lease. The keeper writes each tick, sends it to
// the store, and holds back its commands until the store answers. In the last third of the lease no work begins. When
// the lease expires, the runs leave memory, and the keeper writes nothing, because they may have another owner.
//
// apply() decides by the run's machine (engine/durable/machine.hpp), and executes the commands that need only the log.
// demand_lease() throws while the lease is in doubt.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include "engine/core/wait/timers.hpp"
#include "engine/durable/machine.hpp"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft {
class Store;
struct RunOptions;
}
namespace weft::core {
class AnswerTaker;
class Lease;
struct Shard;
class RunLog;
struct Track;
struct LoopSettings;

/// The id that the options give to a stored run. Empty: the run's number makes the id. Throws Error{usage}.
std::string stored_id(const Definition&, const RunOptions&);

class Keeper {
public:
    Keeper(LoopCore&, const Runtime&, const LoopSettings&);
    void close();                            // call it when the loop closes
    Store* store() const { return store_; }  // null: the loop stores no run
    /// The leases on the store's databases, each with a database; one lease without a database if there is no store.
    const std::vector<std::shared_ptr<Shard>>& shards() const { return shards_; }
    Lease& lease_of(const RunCore&) const;  // on the database of a stored run; for another run on the first database
    bool may_be_elsewhere(const std::string& run) const;                    // in another one than Store::shard_of()
    std::shared_ptr<Shard> shard_of_owner(const std::string& owner) const;  // owner: under a present or former lease
    AnswerTaker* answer_taker() const { return answer_taker_.get(); }  // null: the store's threads take all answers

    // Ticks and records:
    void begin_log(RunCore&, const RunOptions&);
    void leave_log(RunCore&);
    void take(RunCore&, const Tick&, Slots* edits);           // store, commit, reduce
    void prepare(RunCore&, const Tick&, const Slots* edits);  // writes the tick's record; may throw
    void prepare_finished(StepCall&, const Slots* edits);
    void note_retry(Track&, const std::exception_ptr&, Clock::Time due, Clock::Time first) const;
    void begin_again(RunCore&, const Emitted& start);          // the tick of this event is the first of a new journal
    void take_late(RunCore&);                                  // input that arrived before the store's answer
    bool waits_for_store(RunCore&, bool begins_a_step) const;  // whether the next command waits
    void note_idle(RunCore&);                                  // stores, for listings, what the run waits for
    /// Calls `tell` on this loop when all input of the run so far is stored, or with the error that prevents this.
    void when_stored(RunCore&, std::function<void(const std::exception_ptr&)> tell);

    /// Decides by the run's machine, and executes the commands, except those that need more than the log: the caller
    /// executes these. `error`: the reason of a refusal.
    durability::DurableCommands apply(RunLog&, durability::Input, const std::exception_ptr& error = nullptr);
    void store_answered(RunLog&, const std::exception_ptr&, bool fenced);

    // The lease:
    /// Whether no work of the run may begin before the next answered heartbeat.
    bool is_in_doubt(const RunLog&) const;
    bool may_begin(const RunCore&) const;  // work of a step; throws if the run has left memory
    void demand_lease(RunCore&);           // if the lease is in doubt: removes the run from memory, and throws
    void watch_lease();                    // as long as the loop has stored runs
    void lease_renewed();
    void drop_lapsed();

    // Removal of runs from memory; they stay in the store:
    void leave(RunCore&);
    void leave_all();
    void park_idle();  // idle and sleeping runs without a handle, until mail arrives or a timer is due
    /// Starts no more steps of stored runs. Each stored run leaves memory when none of its steps is running. Calls
    /// `drained` after the last one.
    void drain(std::function<void()> drained);
    void leave_still();  // during drain(): removes the runs without a running step

private:
    struct LeaseTimer : Timer {
        Keeper* keeper = nullptr;
    };
    void take_stored(RunCore&, const Tick&, Slots* edits);
    void carry_out(RunLog&, durability::DurableCommand, const std::exception_ptr&);
    void go_on(RunLog&);
    void refuse(RunLog&, const std::exception_ptr&);
    bool park(RunCore&);  // false: the run is not at rest, or has a handle
    void leave_memory(RunCore&);
    void leave_or_park(RunCore&);

    LoopCore& loop_;
    Store* const store_;
    const std::uint32_t snapshot_every_;  // ticks
    const std::vector<std::shared_ptr<Shard>> shards_;
    const std::shared_ptr<AnswerTaker> answer_taker_;
    std::function<void()> drained_;  // during drain()
    LeaseTimer lease_timer_;
};
}
