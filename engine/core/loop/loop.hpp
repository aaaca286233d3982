// Executes the reducer's commands on an Asio executor. One loop is one thread; a run stays on its loop, so nothing in
// here locks. A run drains its own queue: an event costs no post. A turn does at most `batch` commands of a run before
// others get theirs. Only what ends after a wait, and what comes from outside, is posted.
#pragma once
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_core.hpp"
#include "engine/core/wait/timers.hpp"
#include "engine/durable/machine.hpp"
#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace weft {
class Observer;
class Store;
namespace storage {
struct History;
struct Mail;
}
struct RunOptions;
}
namespace weft::journal {
struct MailRecord;
}
namespace weft::core {
struct RunIds;  // engine/core/loop/run_extras.hpp

class Admission;
class Lease;
class RunLog;
struct Track;
/// So few that a long run is recovered by reading some hundred ticks, and so many that most runs have none.
inline constexpr std::uint32_t ticks_between_snapshots = 256;
struct LoopSettings {
    Store* store = nullptr;                 // of durable runs
    std::optional<std::uint64_t> seed;      // none: drawn; of the waits between attempts and of the runs' ids
    asio::io_context* context = nullptr;    // given if other threads start, send or cancel: tells which thread is ours
    std::shared_ptr<RunIds> ids = nullptr;  // given by users; null: the loop's own
    std::shared_ptr<Admission> admission = nullptr;          // null: no limit but those of workflows, in this loop
    Observer* observer = nullptr;                            // of all its runs
    std::shared_ptr<Lease> lease = nullptr;                  // null: none, under an owner that is drawn
    std::uint32_t snapshot_every = ticks_between_snapshots;  // EngineOptions
};

/// The loop whose turn the calling thread is in, or null.
Loop* loop_of_this_thread();
void wake_all(RunCore&);  // resumes the readers of a run

class Loop {
public:
    using Settings = LoopSettings;
    explicit Loop(Runtime runtime, Settings settings = {});
    explicit Loop(asio::any_io_executor executor, Settings settings = {})
        : Loop(Runtime{std::move(executor)}, settings) {}
    /// Unfinished runs end as cancelled: pending operations are cancelled, blocking work is asked to stop and waited
    /// for, and every step has ended. Then readers are told, those on the loop's executor in this call, those elsewhere
    /// by a post to where they live. The context has to outlive the loop, or to be destroyed right after it.
    ~Loop();
    Loop(const Loop&) = delete;
    const asio::any_io_executor& executor() const { return runtime_.executor; }
    const Runtime& runtime() const { return runtime_; }

    /// A run that nobody has begun. From any thread. `root`: one that has a log of its own, if it is durable.
    CoreRef make(std::shared_ptr<const Definition>, const RunOptions&, bool root = true);
    /// From here on it is among the loop's runs. The token is that of the parent's step which has started it.
    void adopt(RunCore&, RunCore* parent = nullptr, Handle token = none);
    std::string id_of(const Definition&, const RunOptions&) const;  // of a durable run; empty: by its number
    std::optional<CoreRef> find(const std::string& id) const;       // of those that go on, on any loop of the engine
    bool limits(const RunCore&) const;                              // it may have to wait for its turn
    void begin_queued(RunCore&);                                    // its turn has come
    Mailbox& mailbox() const { return *mailbox_; }
    bool here() const;                                     // whether the calling thread may touch the loop's runs
    void close();                                          // what the destructor does
    void wake(RunCore&);                                   // its readers, later in this turn, never inside of a step
    void fail_run(RunCore&, std::exception_ptr) noexcept;  // without a step
    void begin_from_any_thread(const CoreRef&, std::function<void()> arrive);  // a run of make()

    // Durable runs (engine/core/loop_store.cpp):
    /// Decides by the machine of the run, and does what follows. The error: why it is refused, if it is.
    void apply(RunLog&, durability::Input, const std::exception_ptr& error = nullptr);
    void store_answered(RunLog&, const std::exception_ptr&, bool fenced);
    void begun_elsewhere(RunCore&, const std::string& id);  // its start key is that of a run which is there
    CoreRef make_stored(std::shared_ptr<const Definition>, const std::string& id, const RunOptions&);
    /// Of make_stored(). Without an epoch it is claimed first; else it was, by this owner.
    void resume(const CoreRef&, std::optional<std::uint64_t> epoch = {}, const std::string& owner = {});
    void load(RunCore&, std::uint64_t from = ~std::uint64_t{0});  // at least what no snapshot has
    void share_log(RunCore& child, RunCore& parent, std::string path);
    /// Tells, on this loop, when all that has come to the run is stored; an error: it is not going to be.
    void when_stored(RunCore&, std::function<void(const std::exception_ptr&)> tell);
    bool restore_child(RunCore&);  // false: the store has nothing of it, so that it begins
    void leave(RunCore&);          // it stays in the store
    const std::shared_ptr<RunIds>& ids() const { return ids_; }
    void park_idle();  // durable runs that are idle and that nobody holds leave memory, until mail or their time comes
    // The engine's lease, and its end (engine/core/loop_lease.cpp):
    bool is_in_doubt(const RunLog&) const;  // the lease: nothing of this run may begin until a heartbeat is answered
    bool is_in_doubt(const RunCore&) const;
    void lease_renewed();
    void drop_lapsed();
    void demand_lease(RunCore&);  // throws, and the run leaves memory, if the lease is in doubt
    /// Starts no step of a stored run any more; each of these runs leaves memory when none of its steps is running.
    /// Calls `drained` when all have.
    void drain(std::function<void()> drained);
    void leave_all();
    void take_mail(RunCore& root, const storage::Mail&);
    void refuse_kept_mail(RunCore& root);  // for runs within it that have not come back
    void end_at_limit(RunLog&);            // a run that has all the ticks that it may have
    void note_idle(RunCore& root);         // in the store, for listings
    Store* store() const { return store_; }
    Lease& lease() const { return *lease_; }
    RunCore* runs() const { return runs_; }
    void mark_thread();  // the calling one is the loop's, also between turns

private:
    friend class RunCore;
    friend class Attempt;
    friend void ended(Scope*);
    static constexpr int batch = 256;
    struct AttemptTimer;
    struct LeaseTimer : Timer {
        Loop* loop = nullptr;
    };

    void begin_in_turn(RunCore&, std::function<void()> arrive);  // now, or when the engine has room for it
    void take(RunCore&, const Tick&, Slots* edits);              // store, commit, reduce
    void take_recorded(RunCore&, const Tick&, Slots* edits);
    void take_stored(RunCore&, const Tick&, Slots* edits);
    std::string record(RunCore&, const Tick&, const Slots* edits);
    void prepare(RunCore&, const Tick&, const Slots* edits);  // its record, which may throw
    void take_late(RunCore&);
    void carry_out(RunLog&, durability::Command, const std::exception_ptr&);
    void refuse(RunLog&, const std::exception_ptr&);
    std::exception_ptr error_of(const RunLog&, const std::exception_ptr&) const;
    void prepare_finished(StepCall&, const Slots* edits);
    bool waits_for_store(RunCore&, bool begins_a_step) const;
    void watch_lease();
    void leave_still();
    void leave_or_park(RunCore&);
    void tell_if_drained();
    void put_mail(RunCore&, const std::string& id, const journal::MailRecord&);
    void refuse_mail(RunCore&, const std::string& id, const journal::MailRecord&);
    void take_kept_mail(RunCore& child);
    void go_on(RunLog&);
    void claim(RunCore&);
    void loaded(RunCore&, const std::exception_ptr&, const storage::History&);
    bool park(RunCore&);  // false: it does not rest, or somebody holds it
    std::optional<std::int64_t> wake_time(const RunCore&) const;
    void fetch_plan(RunCore&, const std::string& hash, const storage::History&);
    void reset(RunCore&);
    void restore(RunCore&, const storage::History&);  // throws Error{journal} for what cannot be read
    void put_back(RunCore&, const storage::History&);
    void lend_commands(RunCore&);
    void make_ready(RunCore&);
    void schedule();
    void turn();
    void collect_ended();
    void pump(RunCore&);
    void invoke(RunCore&, StepIndex, Handle token);
    void invoke_watched(RunCore&, StepIndex, Handle token);
    void invoke_waiting(RunCore&, StepIndex, Handle token, Clock::Time began);
    // The order of the stream (engine/core/loop/loop_tell.cpp):
    static void tell_questions(RunCore&);  // those of the tick that was just taken
    static void tell_question(RunCore&, Handle cell, QuestionId);
    static void tell_if_unhandled(RunCore&);  // the event that has just arrived
    static void hold_back(RunCore&, std::size_t first_command);
    static void tell_held(RunLog&);
    static void tell_rest(RunLog&);  // which is going to store nothing more
    void finish(StepCall&);
    void fail(StepCall&, std::exception_ptr, Clock::Time began);
    bool try_again(StepCall&, const std::exception_ptr&, Clock::Time began);
    void delay(RunCore&, Handle token, Clock::Time due);
    bool rescue(StepCall&, const std::exception_ptr&, Clock::Time began);
    void finish_or_drop(StepCall&);
    void drop(StepCall&);
    void drop_observed(StepCall&);
    void cancel_branch(RunCore&, Handle token);
    void drop_delayed(RunCore&, Handle token);
    void release_input(StepCall&);
    void release_emitted(StepCall&);
    void observe_end(StepCall&, const std::exception_ptr& error);
    void end(RunCore&);
    void complete(RunCore&);
    void retire(RunCore&);
    void take_id(RunExtras&);
    void begin_log(RunCore&, const RunOptions&);
    void leave_log(RunCore&);
    void note_retry(Track&, const std::exception_ptr&, Clock::Time due, Clock::Time first) const;
    double random(const RunCore&, StepIndex, unsigned attempt) const;

    Runtime runtime_;
    asio::io_context* context_;
    std::uint64_t seed_;
    Store* store_;
    std::shared_ptr<Lease> lease_;
    std::function<void()> drained_;  // while it drains
    std::uint32_t snapshot_every_;
    Buffer<Emitted> emitted_;  // by the step that is running now
    std::vector<std::unique_ptr<CommandQueue>> spare_;
    RunCore* runs_ = nullptr;  // unfinished ones
    RunCore *first_ready_ = nullptr, *last_ready_ = nullptr;
    std::vector<CoreRef> woken_;
    Attempt *first_ended_ = nullptr, *last_ended_ = nullptr;
    bool scheduled_ = false;
    std::atomic<bool> closing_ = false;
    std::shared_ptr<RunIds> ids_;
    std::shared_ptr<Admission> admission_;
    Observer* observer_;
    std::uint64_t first_number_;
    std::atomic<std::uint64_t> next_number_;
    MailboxRef mailbox_;  // also for handlers that outlive the loop
    Timers timers_;
    LeaseTimer lease_timer_;
};
}
