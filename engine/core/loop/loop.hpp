// Executes the reducer's commands on an Asio executor. A loop has one thread and keeps its runs, so runs need no lock.
// A run drains its own queue, so an event costs no post: only input from outside and the ends of waits are posted. A
// turn executes at most `batch` commands of a run, then those of the next run.
#pragma once
#include "engine/core/keeper.hpp"
#include "engine/core/loop/attempts.hpp"
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_core.hpp"
#include "engine/core/wait/timers.hpp"
#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace weft {
class Observer;
struct RunOptions;
}
namespace weft::core {
struct RunIds;  // engine/core/loop/run_extras.hpp

class Admission;
/// Recovery of a long run reads some hundred ticks; most runs end before their first snapshot.
inline constexpr std::uint32_t ticks_between_snapshots = 256;
struct LoopSettings {
    Store* store = nullptr;                           // for durable runs
    std::optional<std::uint64_t> seed = {};           // for backoff and run ids; empty: random
    asio::io_context* context = nullptr;              // not null if other threads call the loop: identifies its thread
    std::shared_ptr<RunIds> ids = nullptr;            // chosen ids in use; null: a table of the loop's own
    std::shared_ptr<Admission> admission = nullptr;   // null: only limits of workflows, within this loop
    Observer* observer = nullptr;                     // gets the events of all runs
    std::shared_ptr<Lease> lease = nullptr;           // null: unlimited, with a random owner
    std::vector<std::shared_ptr<Shard>> shards = {};  // of the store, with their leases; empty: it is the only one
    std::uint32_t snapshot_every = ticks_between_snapshots;  // as in EngineOptions
};

/// The loop whose turn the calling thread is in, or null.
LoopCore* loop_of_this_thread();
void wake_all(RunCore&);  // resumes the readers of a run

class LoopCore {
public:
    using Settings = LoopSettings;
    explicit LoopCore(Runtime runtime, Settings settings = {});
    explicit LoopCore(asio::any_io_executor executor, Settings settings = {})
        : LoopCore(Runtime{std::move(executor)}, settings) {}
    /// Cancels unfinished runs, as the destructor of Loop does (engine/loop.hpp).
    ~LoopCore();
    LoopCore(const LoopCore&) = delete;
    const asio::any_io_executor& executor() const { return runtime_.executor; }
    const Runtime& runtime() const { return runtime_; }

    /// Makes a run without beginning it. Callable from any thread. `root`: a durable run gets a log of its own.
    CoreRef make(const std::shared_ptr<const Definition>&, const RunOptions&, bool root = true);
    /// Adds the run to the loop's runs. The token belongs to the parent's step that has started the run.
    void adopt(RunCore&, RunCore* parent = nullptr, Handle token = none);
    std::optional<CoreRef> find(const std::string& id) const;  // an unfinished run on any loop of the engine
    bool limits(const RunCore&) const;                         // whether a limit of Admission applies to the run
    void begin_queued(RunCore&);                               // Admission has admitted the run
    Mailbox& mailbox() const { return *mailbox_; }
    bool here() const;    // whether the calling thread may touch the loop's runs
    void close();         // does the destructor's work
    void wake(RunCore&);  // resumes its readers later in this turn, never within a step
    void fail_run(RunCore&, std::exception_ptr) noexcept;                      // by an error outside of its steps
    void begin_from_any_thread(const CoreRef&, std::function<void()> arrive);  // the run is from make()

    /// Now, or after Admission admits the run, which begins no step until then.
    void begin_in_turn(RunCore&, std::function<void()> arrive);
    void give_up_turn(RunCore&);  // of a run that begins later by begin_in_turn()

    const std::shared_ptr<RunIds>& ids() const { return ids_; }
    Keeper& keeper() { return keeper_; }
    Attempts& attempts() { return attempts_; }
    Timers& timers() { return timers_; }
    bool is_closing() const { return closing_; }
    RunCore* runs() const { return runs_; }
    void lend_commands(RunCore&);  // gives the run a queue, and makes it ready
    void make_ready(RunCore&);     // its commands continue in this turn or the next one
    void schedule();               // posts a turn
    void retire(RunCore&);         // the run is complete, or has left memory
    void mark_thread();            // makes the calling thread the loop's, also between turns

private:
    static constexpr int batch = 256;
    void turn();
    void pump(RunCore&);  // executes the run's commands
    void end(RunCore&);
    void complete(RunCore&);
    void take_id(RunExtras&);
    const std::shared_ptr<const Definition>& counted_here(const std::shared_ptr<const Definition>&);

    Runtime runtime_;
    asio::io_context* context_;
    Attempts attempts_;
    Keeper keeper_;
    std::vector<std::unique_ptr<CommandQueue>> spare_;
    RunCore* runs_ = nullptr;  // unfinished runs
    RunCore *first_ready_ = nullptr, *last_ready_ = nullptr;
    std::vector<CoreRef> woken_;
    std::shared_ptr<const Definition> counted_;    // of a loop that starts many runs of it
    const Definition* last_definition_ = nullptr;  // of the last started run; only compared
    bool scheduled_ = false;
    std::atomic<bool> closing_ = false;
    std::shared_ptr<RunIds> ids_;
    std::shared_ptr<Admission> admission_;
    Observer* observer_;
    std::atomic<std::uint64_t> next_number_;
    MailboxRef mailbox_;  // also for handlers that outlive the loop
    Timers timers_;
};
}
