// The destructor's order is essential: first all loops close, each on its own thread; then the contexts stop.
#include "engine/core/loop/admission.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/core/wait/start_thread.hpp"
#include "engine/impl/engine_parts.hpp"
#include <boost/asio/post.hpp>
#include <cstdio>
#include <cstdlib>
#include <latch>

namespace weft {
void core::EngineParts::add_loop(const Runtime& runtime, asio::io_context* context, std::uint64_t seed) {
    std::vector<std::shared_ptr<Shard>> shards;
    for (const auto& heart : hearts) shards.push_back(heart->shard);
    loops.emplace_back(new LoopCore(runtime, {.store = options.store,
                                              .seed = mix(seed),
                                              .context = context,
                                              .ids = loops.empty() ? nullptr : loops.front()->ids(),
                                              .admission = admission,
                                              .observer = options.observer,
                                              .shards = shards,
                                              .snapshot_every = options.snapshot_every}));
}
void Engine::Parts::add_loop_on(asio::io_context& io, std::uint64_t seed) {
    add_loop({io.get_executor(), clock}, &io, seed);
}
// The threads have to end before their objects, and the loops before their contexts.
void Engine::Parts::abandon() {
    for (auto& t : threads) t->io.stop();
    for (auto& t : threads)
        if (t->thread.joinable()) t->thread.join();
    loops.clear();
}
Engine::Engine(Options options) : parts_(new Parts) {
    if (options.loops == 0) throw Error(Code::usage, "an engine needs at least one loop: Options::loops is 0");
    parts_->configure(options);
    const auto seed = options.seed ? *options.seed : core::draw_seed();
    for (unsigned i = 0; i < options.loops; ++i)
        parts_->add_loop_on(parts_->threads.emplace_back(new Parts::Thread)->io, seed + i);
    try {
        for (unsigned i = 0; i < options.loops; ++i)
            parts_->threads[i]->thread = core::start_thread(
                "an engine", [io = &parts_->threads[i]->io, loop = parts_->loops[i].get()] {
                    loop->mark_thread();
                    io->run();
                });
        parts_->listen();
    } catch (...) {
        parts_->abandon();
        throw;
    }
}
Engine::Engine(asio::io_context& io, Options options) : parts_(new Parts) {
    parts_->configure(options);
    parts_->add_loop_on(io, options.seed ? *options.seed : core::draw_seed());
    parts_->listen();
}
/// Stops a context after so many turns; each turn runs the handlers that the previous one has posted. A coroutine that
/// waited for a run ends within a few turns. The count is limited, because a handler may post itself forever.
static void stop_after(int turns, asio::io_context& io) {
    asio::post(io, [turns, &io] { turns > 1 ? stop_after(turns - 1, io) : io.stop(); });
}
Engine::~Engine() {
    for (auto& t : parts_->threads)
        if (t->thread.get_id() == std::this_thread::get_id()) {  // the thread would wait for itself
            std::fputs("weft: an engine was destroyed by a step or coroutine on one of its own loops\n", stderr);
            std::abort();
        }
    auto& p = *parts_;
    for (auto& heart : p.hearts) heart->hints.reset();
    p.end_hearts();
    p.admission->close();
    // Each loop closes on its own thread. Then the contexts run the turns for messages to other loops and to waiting
    // threads. Then they stop and destroy the coroutines spawned on them.
    std::latch gone(std::ptrdiff_t(p.threads.size()));
    for (std::size_t i = 0; i < p.threads.size(); ++i)
        asio::post(p.threads[i]->io, [&gone, loop = p.loops[i].get()] {
            loop->close();
            gone.count_down();
        });
    gone.wait();
    for (auto& t : p.threads) stop_after(16, t->io);
    for (auto& t : p.threads) t->thread.join();
    p.loops.clear();
    p.say_goodbye();
    p.threads.clear();
}
Pool& Engine::pool() {
    std::call_once(parts_->pool_made, [this] { parts_->pool.reset(new Pool(parts_->options.pool_threads)); });
    return *parts_->pool;
}
std::size_t Engine::queued() const { return parts_->admission->queued(); }
const Runtime& Engine::first_runtime() const { return parts_->loops.front()->runtime(); }
void Engine::post(std::function<void()> work) { parts_->loops.front()->mailbox().post(std::move(work)); }
void Engine::check_wait() const {
    if (parts_->threads.empty())
        throw Error(Code::usage, "an engine on the caller's context cannot block in wait(): run the context instead");
    for (auto& loop : parts_->loops)
        if (loop->here() || core::loop_of_this_thread())
            throw Error(Code::usage,
                        "wait() would block the loop of an engine on which it was called: co_await instead");
}
}
