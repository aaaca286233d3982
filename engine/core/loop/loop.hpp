// Executes the reducer's commands on an Asio executor. One loop is one thread; a run stays on its loop, so nothing in
// here locks. A run drains its own queue: an event costs no post. A turn does at most `batch` commands of a run before
// others get theirs. Only what ends after a wait, and what comes from outside, is posted.
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
LoopCore* loop_of_this_thread();
void wake_all(RunCore&);  // resumes the readers of a run

class LoopCore {
public:
    using Settings = LoopSettings;
    explicit LoopCore(Runtime runtime, Settings settings = {});
    explicit LoopCore(asio::any_io_executor executor, Settings settings = {})
        : LoopCore(Runtime{std::move(executor)}, settings) {}
    /// Unfinished runs end as cancelled: pending operations are cancelled, blocking work is asked to stop and waited
    /// for, and every step has ended. Then readers are told, those on the loop's executor in this call, those elsewhere
    /// by a post to where they live. The context has to outlive the loop, or to be destroyed right after it.
    ~LoopCore();
    LoopCore(const LoopCore&) = delete;
    const asio::any_io_executor& executor() const { return runtime_.executor; }
    const Runtime& runtime() const { return runtime_; }

    /// A run that nobody has begun. From any thread. `root`: one that has a log of its own, if it is durable.
    CoreRef make(std::shared_ptr<const Definition>, const RunOptions&, bool root = true);
    /// From here on it is among the loop's runs. The token is that of the parent's step which has started it.
    void adopt(RunCore&, RunCore* parent = nullptr, Handle token = none);
    std::optional<CoreRef> find(const std::string& id) const;  // of those that go on, on any loop of the engine
    bool limits(const RunCore&) const;                         // it may have to wait for its turn
    void begin_queued(RunCore&);                               // its turn has come
    Mailbox& mailbox() const { return *mailbox_; }
    bool here() const;                                     // whether the calling thread may touch the loop's runs
    void close();                                          // what the destructor does
    void wake(RunCore&);                                   // its readers, later in this turn, never inside of a step
    void fail_run(RunCore&, std::exception_ptr) noexcept;  // without a step
    void begin_from_any_thread(const CoreRef&, std::function<void()> arrive);  // a run of make()

    const std::shared_ptr<RunIds>& ids() const { return ids_; }
    Keeper& keeper() { return keeper_; }
    Attempts& attempts() { return attempts_; }
    Timers& timers() { return timers_; }
    bool is_closing() const { return closing_; }
    RunCore* runs() const { return runs_; }
    void lend_commands(RunCore&);  // a queue, and makes the run ready
    void make_ready(RunCore&);     // its commands continue in this turn or the next one
    void schedule();               // a turn
    void retire(RunCore&);         // the run is complete, or has left memory
    void mark_thread();            // the calling one is the loop's, also between turns

private:
    static constexpr int batch = 256;
    void begin_in_turn(RunCore&, std::function<void()> arrive);  // now, or when the engine has room for it
    void turn();
    void pump(RunCore&);  // executes the run's commands
    void end(RunCore&);
    void complete(RunCore&);
    void take_id(RunExtras&);

    Runtime runtime_;
    asio::io_context* context_;
    Attempts attempts_;
    Keeper keeper_;
    std::vector<std::unique_ptr<CommandQueue>> spare_;
    RunCore* runs_ = nullptr;  // unfinished ones
    RunCore *first_ready_ = nullptr, *last_ready_ = nullptr;
    std::vector<CoreRef> woken_;
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
