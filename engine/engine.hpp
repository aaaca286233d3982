// An engine owns loops, which execute runs on one thread each, a clock, and a pool for blocking work.
//
//     Engine engine({.loops = 2});
//     auto run = engine.start(research.with(search_engine), topic, {.timeout = 5min});
//     auto report = engine.wait(run.result());            // blocks this thread; throws RunError
// Any thread may call start, send and cancel while the engine exists. A run stays on its loop. Resources must outlive
// the engine. The destructor cancels all runs, waits until all steps and all blocking work have ended, and resumes all
// waiting callers with an error. Do not destroy an engine on one of its own loops: that aborts the program.
#pragma once
#include "engine/loop.hpp"
#include "engine/pool.hpp"
#include "engine/spawn.hpp"
#include <future>
#include <ranges>

namespace weft {
namespace storage {
struct ClaimRequest;
struct RunRow;
}
/// The options of an engine, fixed for its life.
struct EngineOptions {
    unsigned loops = 1;         // threads that run steps
    unsigned pool_threads = 2;  // threads for blocking work
    Store* store = nullptr;     // for durable runs (engine/durable.hpp); must outlive the engine
    /// If true, idle durable runs without a handle leave memory. Mail, or the time that a run waits for, makes it ready
    /// in the store. This engine then resumes it if recover() had its workflow; else the next engine that claims it
    /// does.
    bool park = false;
    /// The time for which the store considers this engine alive after a heartbeat: 100 ms to 1 h, else Error{usage}.
    /// The engine sends at least three heartbeats in that time. If no answer comes, no work of a stored run begins in
    /// the last third. When the lease expires, these runs leave memory, result() throws RunError{journal}, and another
    /// engine continues them. Default: 10 s if several processes share the store (Store::is_shared), else unlimited.
    std::optional<std::chrono::milliseconds> lease = {};
    /// Returns the text about this engine that each heartbeat carries, for Store::survey. More than
    /// storage::most_worker_info bytes fail the heartbeat. Called on a thread of the engine, also during the engine's
    /// construction.
    std::function<std::string()> tells = {};
    /// The minimum number of ticks between snapshots of a durable run. A snapshot is stored with a tick if it is no
    /// longer than the ticks since the last snapshot; recovery starts from it. 1: as often as possible, for tests; 0:
    /// never.
    std::uint32_t snapshot_every = core::ticks_between_snapshots;
    Clock* clock = nullptr;                  // null: the machine's clock
    std::optional<std::uint64_t> seed = {};  // for run ids and waits between attempts; empty: random
    std::uint32_t runs_at_once = 0;          // further runs wait, first in, first out; 0: no limit
    Observer* observer = nullptr;  // observes all runs (engine/observer.hpp), on all loops; must outlive the engine
};

namespace core {
/// The result for a waiting thread, or an error if the engine is destroyed first.
template <class T> struct ThreadResult {
    ThreadResult() = default;
    ThreadResult(ThreadResult&&) = default;
    ~ThreadResult() {
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

class Engine;
struct EnqueuedRun {
    std::string id;
    bool is_new = true;  // false: the store had a run with its key, or a run with its debounce key waits
};
namespace core {
/// Starts many runs for later claims. Makes their first ticks on a loop of its own, and stores a thousand at once, or
/// fewer with 16 MiB.
class BulkStart {
public:
    explicit BulkStart(Engine&);  // throws Error{usage} without a store, and where wait() does
    ~BulkStart();
    Loop& loop();                            // start detached runs here
    void add(awaitable<void> until_stored);  // of the run that was started last
    std::vector<EnqueuedRun> stored();       // the runs that were stored since the last call
    std::vector<EnqueuedRun> finish();       // stores the rest; returns it and the runs of stored()

private:
    struct State;
    std::unique_ptr<State> state_;
};
}

class Engine {
public:
    using Options = EngineOptions;  // the parameter of the constructors
    explicit Engine(Options = {});
    /// Uses the caller's context, which one thread runs and which must outlive the engine. One loop, no threads of
    /// loops.
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
    /// Puts a durable run into the store and returns its id once the store has it; no step begins here. An engine that
    /// claims the run executes it, such as a worker (workflows/worker/worker.hpp). If a run with this key exists,
    /// returns its id. Blocks the calling thread, with the restrictions of wait(). Throws Error{usage} if the workflow
    /// is not durable or the engine has no store, and Error{journal} if the store fails. If the start replaces that of
    /// a waiting run (RunOptions::debounce), returns that run's id.
    template <class W>
    std::string enqueue(const Bound<W>& workflow, std::type_identity_t<typename W::Start> event, RunOptions o = {}) {
        check_wait();
        o.detached = true;
        if (!o.debounce.empty()) {
            std::vector<std::pair<typename W::Start, RunOptions>> one;
            one.emplace_back(std::move(event), std::move(o));
            return enqueue(workflow, std::move(one)).front().id;
        }
        const auto run = start(workflow, std::move(event), o);
        wait(run.until_stored());
        return run.id();
    }
    /// Enqueues many runs, pairs of a start event and RunOptions, in their order: all or none of each thousand, or of
    /// fewer with 16 MiB. Runs with a known key are not stored again, so that a repeated call adds only the missing
    /// ones. Returns the id of each run and whether it is new; after a lost connection a new run may count as known.
    /// A run with a debounce key is stored alone. Throws as enqueue() does; the earlier ones are stored then.
    template <class W, std::ranges::input_range Starts>
    requires std::convertible_to<std::ranges::range_reference_t<Starts>, std::pair<typename W::Start, RunOptions>>
        std::vector<EnqueuedRun> enqueue(const Bound<W>& workflow, Starts&& starts) {
        core::BulkStart bulk(*this);
        for (std::pair<typename W::Start, RunOptions> each : starts) {
            each.second.detached = true;
            bulk.add(bulk.loop().start(workflow, std::move(each.first), each.second).until_stored());
        }
        return bulk.finish();
    }
    /// Adds a schedule to the store (engine/schedule/schedules.hpp): a ScheduleEvent with its name and timetable, whose
    /// runs begin with `event`. Returns the id of its run. An engine that recovers schedule::schedules_of(workflow)
    /// executes it. Blocks the calling thread, with the restrictions of wait(). Throws as schedule::add does.
    template <class W, class Schedule>
    std::string schedule(const Bound<W>& workflow, std::type_identity_t<typename W::Start> event, Schedule made) {
        return wait(add(store(), workflow, std::move(event), std::move(made)));  // of the namespace of Schedule
    }
    /// Sends a signal to a stored run, whichever engine executes it, also if it sleeps or waits for its first time.
    /// Returns once the store has it; false if the store had one with this `id` before, which counts once. Blocks the
    /// calling thread, with the restrictions of wait(). Throws Error{usage} if the store has no such run of this
    /// workflow, if the run has ended or if its inbox is full (storage::most_unread_mail); Error{journal} if the store
    /// fails.
    template <class W, class E>
    bool signal(const Bound<W>& workflow, const std::string& run, const E& event, const std::string& id = {}) {
        constexpr bool is_accepted = core::is_signal<E> && W::template takes<E>;
        if constexpr (core::check::event<E>::template is_a_signal_of_the_workflow<is_accepted>::value)
            return send_signal(*workflow.definition, core::index_of<E, typename W::Events>, &event, run, id);
        else return false;
    }
    /// A slot of a stored run of this workflow as of its last stored tick, whichever engine executes it; the default if
    /// no step has edited the slot. Blocks the calling thread, with the restrictions of wait(). Throws Error{usage} if
    /// the store has no such run; Error{bad_json} if the stored value is not of this type; Error{journal} if the store
    /// fails.
    template <class S, class W> S slot(const Bound<W>& workflow, const std::string& run) {
        S value{};
        read_slot(*workflow.definition, core::slot_type<S>, run, &value);
        return value;
    }
    /// Resumes a durable run (engine/durable.hpp) of the store. An ended run gives its result again; for a run that is
    /// already in this engine, returns another handle. Errors come from result(): Error{usage} if the store has no such
    /// id or another process executes the run; Error{journal} if the stored data is unreadable.
    template <class W> Run<W> resume(const Bound<W>& workflow, const std::string& id, const RunOptions& o = {}) {
        return core::PrivateAccess::make<Run<W>>(resume_core(workflow.definition, id, o));
    }
    /// Resumes all unfinished runs of these durable workflows that no other process executes. Returns their ids. Waits
    /// for the store, which may throw.
    template <class... W> std::vector<std::string> recover(const Bound<W>&... workflows) {
        return recover_cores({workflows.definition...});
    }
    /// Claims stored runs: this engine becomes their owner. Calls `take` with each, on this thread; `take` resumes the
    /// run with RunOptions::claimed and returns true, or returns false to free it. Returns the number of taken runs: 0
    /// while the engine drains or its lease is in doubt. Throws the store's error if the store refuses heartbeats.
    /// Waits for the store, which may throw. If `take` throws, frees this run and the later ones, and rethrows. Throws
    /// Error{usage} without a store. Callable from any thread but the engine's.
    std::size_t claim(storage::ClaimRequest, const std::function<bool(const storage::RunRow&)>& take);
    /// Drains the engine before the process ends: no step of a stored run begins, and claim() claims nothing. A run
    /// leaves memory when none of its steps is running, and at the latest after `grace`. Returns when all runs have
    /// left, and at the latest a second after `grace`.
    void leave_all(std::chrono::milliseconds grace);
    /// Runs an awaitable on the engine's first loop and blocks the calling thread until it ends. Rethrows its
    /// exceptions; throws Error{cancelled} if the engine is destroyed first. Throws Error{usage} inside a step, and on
    /// an engine with the caller's context.
    template <class T> T wait(awaitable<T> work) {
        check_wait();
        auto told = std::make_shared<core::ThreadResult<T>>();  // shared, because std::function copies
        auto result = told->promise->get_future();
        auto shared = std::make_shared<awaitable<T>>(std::move(work));
        post([runtime = first_runtime(), shared = std::move(shared), told = std::move(told)] {
            spawn(runtime, std::move(*shared), std::move(*told));
        });
        return result.get();
    }
    Pool& pool();
    Store& store() const;  // of durable runs; throws Error{usage} without one
    /// The number of runs that wait for a limit of the engine or of their workflow. Callable from any thread.
    std::size_t queued() const;
    /// The first loop, for coroutines of the application.
    const Runtime& first_runtime() const;

private:
    friend struct core::PrivateAccess;
    friend class core::BulkStart;
    /// Makes a run, or finds the live run with this key.
    core::CoreRef make_or_find(std::shared_ptr<const Definition>, const RunOptions&, bool& is_new);
    core::CoreRef resume_core(std::shared_ptr<const Definition>, const std::string& id, const RunOptions&);
    std::vector<std::string> recover_cores(std::vector<std::shared_ptr<const Definition>>);
    bool send_signal(const Definition&, std::size_t type, const void* event, const std::string& run, std::string id);
    void read_slot(const Definition&, const core::SlotType&, const std::string& run, void* slot);
    void check_wait() const;
    void post(std::function<void()>);  // posts to the first loop; does not touch the loop's context once the work runs
    struct Parts;
    std::unique_ptr<Parts> parts_;
};
}
