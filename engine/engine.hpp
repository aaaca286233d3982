// An engine owns the loops that runs live on: their contexts, one thread each, a clock, a pool for blocking work.
//
//     Engine engine({.loops = 2});
//     auto run = engine.start(research.with(search), topic, {.timeout = 5min});
//     auto report = engine.wait(run.result());            // blocks this thread; throws RunError
//
// start, send and cancel may be called from any thread, as long as the engine is there. A run stays on the loop that it
// was started on. Resources have to outlive the engine; an engine that is destroyed cancels what still runs and waits
// for it to stop, so its own loops must not destroy it: that aborts the program.
#pragma once
#include "engine/loop.hpp"
#include "engine/pool.hpp"
#include "engine/spawn.hpp"
#include <future>

namespace weft {
struct EngineOptions {
    unsigned loops = 1;         // threads that run steps
    unsigned pool_threads = 2;  // threads for blocking work
    Journal* journal = nullptr;
    Clock* clock = nullptr;             // null: the machine's
    std::optional<std::uint64_t> seed;  // none: drawn. Decides run ids and the waits between attempts
};

class Engine {
public:
    using Options = EngineOptions;
    explicit Engine(Options = {});
    /// On a context that the user runs, by one thread, and that outlives the engine. One loop, no thread of its own.
    explicit Engine(asio::io_context&, Options = {});
    ~Engine();
    Engine(const Engine&) = delete;

    template <class W>
    Run<W> start(const Bound<W>& workflow, std::type_identity_t<typename W::Start> event, const RunOptions& o = {}) {
        return Loop::begin<W>(next_loop().make(workflow.definition, o), std::move(event));
    }
    template <auto... Fn>
    auto start(const Workflow<Fn...>& w, typename Workflow<Fn...>::Start event, const RunOptions& o = {}) {
        return start(Bound<Workflow<Fn...>>(w), std::move(event), o);
    }
    /// Runs an awaitable on the engine's first loop and blocks the calling thread until it ends; what it throws comes
    /// out. Refused inside of a step. Not for an engine on a context of the user's.
    template <class T> T wait(awaitable<T> work) {
        check_wait();
        auto promise = std::make_shared<std::promise<T>>();  // shared, as its last user may be the other thread
        auto result = promise->get_future();
        if constexpr (std::is_void_v<T>)
            spawn(first_runtime(), std::move(work), [promise](std::exception_ptr error) {
                if (error) promise->set_exception(error);
                else promise->set_value();
            });
        else
            spawn(first_runtime(), std::move(work), [promise](std::exception_ptr error, T value) {
                if (error) promise->set_exception(error);
                else promise->set_value(std::move(value));
            });
        return result.get();
    }
    Pool& pool();
    /// Where coroutines of the application may be spawned: the first loop.
    const Runtime& first_runtime() const;

private:
    Loop& next_loop();
    void check_wait() const;
    struct Parts;
    std::unique_ptr<Parts> parts_;
};
}
