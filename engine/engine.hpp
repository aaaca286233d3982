// An engine owns the loops that runs live on: their contexts, one thread each, a clock, a pool for blocking work.
//
//     Engine engine({.loops = 2});
//     auto run = engine.start(research.with(search_engine), topic, {.timeout = 5min});
//     auto report = engine.wait(run.result());            // blocks this thread; throws RunError
// start, send and cancel may be called from any thread, as long as the engine exists. A run stays on the loop that it
// was started on. Resources have to outlive the engine. The destructor cancels all runs, waits until each step and all
// blocking work has ended, and resumes everybody who waits with an error. So the engine must not be destroyed on one of
// its own loops: that aborts the program.
#pragma once
#include "engine/loop.hpp"
#include "engine/pool.hpp"
#include "engine/spawn.hpp"
#include <future>

namespace weft {
namespace storage {
struct Claim;
struct RunRow;
}
struct EngineOptions {
    unsigned loops = 1;         // threads that run steps
    unsigned pool_threads = 2;  // threads for blocking work
    Store* store = nullptr;     // of durable runs (engine/durable.hpp); outlives the engine
    /// Idle durable runs that nobody holds a handle of leave memory. When mail comes, or a time that they wait for,
    /// they are ready in the store: this engine goes on with them if their workflow was given to recover(), else
    /// whoever claims them.
    bool park = false;
    /// How long the store takes this engine for alive after a heartbeat, 100 ms to 1 h, else Error{usage}; it sends at
    /// least three heartbeats in that time. In the last third without an answer nothing of a stored run begins. When
    /// all of it has passed these runs leave memory, and result() throws RunError{journal}: another engine goes on with
    /// them. None: 10 s if several processes share the store (Store::is_shared), else for ever.
    std::optional<std::chrono::milliseconds> lease;
    /// Gives the text about this engine that goes with each heartbeat, for Store::survey: at most
    /// storage::most_worker_info bytes, else the heartbeat fails. Called on a thread of the engine's, also while the
    /// engine is constructed.
    std::function<std::string()> tells;
    /// After at least so many ticks of a durable run its state is stored with one of them, if that is no more text than
    /// these ticks were: then it is recovered from there. 1: whenever it can be, for tests; 0: never.
    std::uint32_t snapshot_every = core::ticks_between_snapshots;
    Clock* clock = nullptr;             // null: the machine's
    std::optional<std::uint64_t> seed;  // none: drawn. Decides run ids and the waits between attempts
    std::uint32_t runs_at_once = 0;     // further runs wait, first in first out; 0: no limit
    Observer* observer = nullptr;       // of all runs: engine/observer.hpp. Called by all loops, outlives the engine
};

namespace core {
/// The result for a thread that waits, or that there will be none because the engine is being destroyed.
template <class T> struct Told {
    Told() = default;
    Told(Told&&) = default;
    ~Told() {
        if (promise)
            promise->set_exception(std::make_exception_ptr(
                Error(Code::cancelled, "what a thread waits for was cancelled, because its engine was destroyed")));
    }
    template <class... Value> void operator()(std::exception_ptr error, Value... value) {
        const auto p = std::move(promise);
        if (error) p->set_exception(error);
        else p->set_value(std::move(value)...);
    }
    std::unique_ptr<std::promise<T>> promise = std::make_unique<std::promise<T>>();
};
}

class Engine {
public:
    using Options = EngineOptions;
    explicit Engine(Options = {});
    /// On a user's context, which one thread runs and which outlives the engine. One loop, no thread of its own.
    explicit Engine(asio::io_context&, Options = {});
    ~Engine();
    Engine(const Engine&) = delete;

    template <class W>
    Run<W> start(const Bound<W>& workflow, std::type_identity_t<typename W::Start> event, const RunOptions& o = {}) {
        bool is_new = true;
        auto core = make_or_find(workflow.definition, o, is_new);
        if (!is_new) return core::PrivateAccess::make<Run<W>>(std::move(core));
        return core::begin_run<W>(std::move(core), std::move(event));
    }
    template <auto... Fn>
    auto start(const Workflow<Fn...>& w, typename Workflow<Fn...>::Start event, const RunOptions& o = {}) {
        return start(Bound<Workflow<Fn...>>(w), std::move(event), o);
    }
    /// Puts a durable run into the store, for whoever claims it, such as a worker (workflows/worker/worker.hpp), and
    /// gives its id once the store has it; no step of it begins here. With the key of a run that is there, the id of
    /// that run. Blocks the calling thread, as wait() does, and is refused where that is. Throws Error{usage} for a
    /// workflow that is not durable and for an engine without a store, Error{journal} if the store does not take it.
    template <class W>
    std::string enqueue(const Bound<W>& workflow, std::type_identity_t<typename W::Start> event, RunOptions o = {}) {
        check_wait();
        o.detached = true;
        const auto run = start(workflow, std::move(event), o);
        wait(run.until_stored());
        return run.id();
    }
    /// A durable run (engine/durable.hpp) that is in the store: it goes on here, also one that has ended, whose result
    /// is there again. One that is in this engine already is that run. Errors are told by result(): Error{usage} for an
    /// id that is not in the store, or whose run another process is executing; Error{journal} for what cannot be read.
    template <class W> Run<W> resume(const Bound<W>& workflow, const std::string& id, const RunOptions& o = {}) {
        return core::PrivateAccess::make<Run<W>>(resume_core(workflow.definition, id, o));
    }
    /// All unfinished runs of these durable workflows that no other process has go on here. Gives their ids. Waits for
    /// the store, which may throw.
    template <class... W> std::vector<std::string> recover(const Bound<W>&... workflows) {
        return recover_cores({workflows.definition...});
    }
    /// Claims stored runs: this engine becomes their owner. Calls `take` with each, on this thread; it resumes the run
    /// with RunOptions::claimed and returns true. A run for which it returns false is free again. Gives how many were
    /// taken: none while the engine leaves, or its lease is in doubt; if the store refuses heartbeats, throws why.
    /// Waits for the store, which may throw. If `take` throws, the run and those after it are freed, and the exception
    /// is passed on. Error{usage} without a store. From any thread but those of the engine.
    std::size_t claim(storage::Claim, const std::function<bool(const storage::RunRow&)>& take);
    /// Before the end of a process: starts no step of a stored run any more, and claims nothing. Each of these runs
    /// leaves memory when none of its steps is running, at the latest after `grace`. Returns when all have left, at the
    /// latest a second after `grace`.
    void leave_all(std::chrono::milliseconds grace);
    /// Runs an awaitable on the engine's first loop and blocks the calling thread until it ends; rethrows its
    /// exceptions; throws Error{cancelled} if the engine is destroyed meanwhile. Refused inside of a step, and for an
    /// engine on a user's context.
    template <class T> T wait(awaitable<T> work) {
        check_wait();
        auto told = std::make_shared<core::Told<T>>();  // shared, as std::function copies
        auto result = told->promise->get_future();
        auto shared = std::make_shared<awaitable<T>>(std::move(work));
        post([runtime = first_runtime(), shared = std::move(shared), told = std::move(told)] {
            spawn(runtime, std::move(*shared), std::move(*told));
        });
        return result.get();
    }
    Pool& pool();
    /// How many runs wait in the queue for a limit of the engine or of their workflow. From any thread.
    std::size_t queued() const;
    /// Where coroutines of the application may be spawned: the first loop.
    const Runtime& first_runtime() const;

private:
    friend struct core::PrivateAccess;
    core::CoreRef make(std::shared_ptr<const Definition>, const RunOptions&);  // a run that has not begun
    /// A new run, or the live one that has the key.
    core::CoreRef make_or_find(std::shared_ptr<const Definition>, const RunOptions&, bool& is_new);
    core::CoreRef resume_core(std::shared_ptr<const Definition>, const std::string& id, const RunOptions&);
    std::vector<std::string> recover_cores(std::vector<std::shared_ptr<const Definition>>);
    core::Loop& next_loop();
    void check_wait() const;
    void post(std::function<void()>);  // to the first loop; this thread has left its context when the work is done
    struct Parts;
    std::unique_ptr<Parts> parts_;
};
}
