// The coroutine that sends heartbeats never waits for an answer, so a store that does not answer cannot hide the end of
// the lease. Another coroutine acts on the answers. An engine runs both on a thread of their own. A hint triggers a
// heartbeat immediately, within a bounded rate. Also drains the engine before its end.
#include "engine/core/loop/admission.hpp"
#include "engine/core/wait/start_thread.hpp"
#include "engine/impl/engine_parts.hpp"
#include "engine/spawn.hpp"
#include "engine/store_reply.hpp"
#include "engine/terminal.hpp"
#include <algorithm>

namespace weft {
using namespace storage;
using namespace std::chrono_literals;
namespace {
constexpr auto usual_lease = 10s, most_lease = 3600s;
constexpr Duration least_lease = 100ms, between_mails = 500ms;
constexpr auto between_hinted = 20ms;  // minimum time between heartbeats
constexpr int share_of_hinted = 4;     // such heartbeats take at most a quarter of the time
}
namespace core {
void EngineParts::configure(const EngineOptions& o) {
    options = o;
    admission = std::make_shared<Admission>(options.runs_at_once);
    clock = options.clock ? options.clock : &real_clock();
    Duration length{};
    if (options.store && options.store->is_shared()) length = usual_lease;
    if (options.lease) {
        length = *options.lease;
        if (length < least_lease || length > most_lease)
            throw Error(Code::usage,
                        "an engine cannot have a lease of " + in_seconds(length) + ": choose 0.1 s to 1 hour");
    }
    const auto seed = draw_seed();
    const auto owner = std::to_string(seed);
    next_heart = unsigned(seed);  // else all engines begin at one database
    const auto stores = options.store ? options.store->shards() : std::vector<Store*>{nullptr};
    for (std::size_t i = 0; i < stores.size(); ++i) {
        auto lease = std::make_shared<Lease>(owner_in_shard(owner, i), *clock, length);
        hearts.emplace_back(new Heart{.shard = std::make_shared<Shard>(stores[i], std::move(lease))});
    }
}
void EngineParts::on_loops(void (*act)(LoopCore&)) {
    for (auto& loop : loops) loop->mailbox().post([l = loop.get(), act] { act(*l); });
}
void EngineParts::begin_hearts(const Runtime& on, const std::function<void()>& ended) {
    const auto tell = [ended](const std::exception_ptr&) { ended(); };
    for (auto& heart : hearts) {
        spawn(on, take_answers(*heart), tell);
        spawn(on, send_heartbeats(*heart, on), tell);
    }
}
void EngineParts::stop_hearts() {
    stopping = true;
    for (auto& heart : hearts) {
        heart->state->changed.ring();
        heart->state->is_heard.ring();
    }
}
awaitable<void> EngineParts::take_answers(Heart& heart) {
    auto& state = *heart.state;
    while (!stopping) {
        auto rung = state.is_heard.wait();
        co_await std::move(rung);
        std::optional<HeartbeatReply> heard;
        {
            std::lock_guard lock(state.mutex);
            heard = std::exchange(state.heard, std::nullopt);
        }
        if (!heard || stopping) continue;
        auto hearing = hear(heart, *std::move(heard));
        try {
            co_await std::move(hearing);
        } catch (const std::exception&) {}  // the store is busy or away: the next heartbeat repeats it
    }
}
awaitable<void> EngineParts::send_heartbeats(Heart& heart, Runtime on) {
    auto& state = *heart.state;
    auto& lease = heart.lease();
    const auto rest = lease.is_limited() ? std::min<Duration>(lease.length() / 3, between_mails) : between_mails;
    auto begun = on.clock->now();  // the time of the last heartbeat
    auto next = begun + (lease.is_limited() ? 0ns : rest);
    auto hurried = begun - rest;  // the last one out of turn
    Duration least = between_hinted;
    bool is_hinted = false;  // since that heartbeat
    const auto alarm = on.clock->make_alarm(on.executor, [shared = heart.state] { shared->changed.ring(); });
    while (!stopping) {
        alarm->set(next);
        auto rung = state.changed.wait();
        co_await std::move(rung);
        std::optional<HeartbeatState::HeartbeatAnswer> answer;
        bool is_beating = false;
        {
            std::lock_guard lock(state.mutex);
            answer = std::exchange(state.answer, std::nullopt);
            is_hinted |= std::exchange(state.is_hinted, false);
            is_beating = state.is_beating;
        }
        if (stopping) break;
        const auto now = on.clock->now();
        if (answer) {
            least = std::max<Duration>(between_hinted, (now - begun) * share_of_hinted);
            take(heart, *answer);
        }
        if (const auto number = lease.holder().number; lease.is_over(number)) lose_lease(heart, number);
        // Other engines take over the runs of an owner without a heartbeat, so a new owner does not wait for its turn.
        if (answer && answer->lease_number != lease.holder().number && now >= hurried + rest) next = hurried = now;
        if (is_hinted && !is_beating) next = std::min(next, begun + least);
        if (now < next) continue;
        if (heartbeat(heart)) is_hinted = false;
        begun = now;
        next = now + rest;
    }
}
// Ignores hints for the owner of a former lease: its runs have left memory.
void EngineParts::take_hints(Heart& heart) {
    heart.hints = heart.store().on_hint([state = heart.state, lease = heart.shard->lease](std::string_view owner) {
        if (!owner.empty() && lease->number_of(std::string(owner)) == 0) return;
        std::lock_guard lock(state->mutex);
        if (owner.empty() && !state->claims) return;
        state->is_hinted = true;
        state->changed.ring();
    });
}
bool EngineParts::heartbeat(Heart& heart) {
    {
        std::lock_guard lock(heart.state->mutex);
        if (std::exchange(heart.state->is_beating, true)) return false;
    }
    Heartbeat worker;
    const auto& lease = heart.lease();
    const auto holder = lease.holder();
    worker.id = holder.owner;
    if (lease.is_limited()) worker.lease_ms = std::chrono::ceil<std::chrono::milliseconds>(lease.length()).count();
    const auto sent = clock->since_boot();
    try {
        if (options.tells && !leaving) worker.info = options.tells();
        heart.store().heartbeat(std::move(worker), [state = heart.state, number = holder.number,
                                                    sent](std::exception_ptr error, HeartbeatReply reply) {
            std::lock_guard lock(state->mutex);
            state->is_beating = false;
            state->answer = {error, std::move(reply), number, sent};
            state->answered.notify_all();
            state->changed.ring();
        });
        return true;
    } catch (...) {
        std::lock_guard lock(heart.state->mutex);
        heart.state->is_beating = false;
        return false;
    }
}
void EngineParts::renew(Heart& heart, const HeartbeatState::HeartbeatAnswer& answer) {
    heart.lease().compare_dates(answer.reply.at, answer.sent, clock->since_boot());
    heart.lease().renew(answer.lease_number, answer.sent);
}
void EngineParts::take(Heart& heart, const HeartbeatState::HeartbeatAnswer& answer) {
    auto& lease = heart.lease();
    if (answer.error) return lease.note_refusal(sentence_of(answer.error));
    if (lease.is_limited()) {
        if (answer.lease_number != lease.holder().number) return;
        if (!answer.reply.alive) return lose_lease(heart, answer.lease_number);
        renew(heart, answer);
        if (lease.somebody_waited()) on_loops([](LoopCore& loop) { loop.keeper().lease_renewed(); });
    }
    std::lock_guard lock(heart.state->mutex);
    heart.state->heard = answer.reply;
    heart.state->is_heard.ring();
}
void EngineParts::lose_lease(Heart& heart, std::uint64_t number) {
    heart.lease().begin_anew(number);
    on_loops([](LoopCore& loop) { loop.keeper().drop_lapsed(); });
}
// The answers may come after the engine's destruction: nothing waits for them.
void EngineParts::say_goodbye() {
    if (!options.store) return;
    for (auto& heart : hearts)
        if (heart->lease().is_limited())
            heart->store().heartbeat({.id = heart->lease().holder().owner, .lease_ms = 0, .info = {}},
                                     [](std::exception_ptr, HeartbeatReply) {});
}
void EngineParts::drain(const std::function<void()>& drained) {
    for (auto& loop : loops) loop->mailbox().post([l = loop.get(), drained] { l->keeper().drain(drained); });
}
}
void Engine::Parts::listen() {
    if (!options.store) return;
    for (auto& heart : hearts) {
        take_hints(*heart);
        heartbeat(*heart);  // first: other engines take over the runs of an engine without a heartbeat
    }
    const auto begun = std::chrono::steady_clock::now();
    for (auto& heart : hearts) {
        if (!heart->lease().is_limited()) continue;
        auto& state = *heart->state;
        std::unique_lock lock(state.mutex);
        state.answered.wait_until(lock, begun + heart->lease().length(), [&] { return state.answer.has_value(); });
        if (const auto& answer = state.answer; answer && !answer->error && answer->reply.alive) renew(*heart, *answer);
    }
    heart_thread = std::make_unique<Thread>();
    hearts_ended.emplace(std::ptrdiff_t(2 * hearts.size()));
    begin_hearts({heart_thread->io.get_executor()}, [this] { hearts_ended->count_down(); });
    try {
        heart_thread->thread = core::start_thread("an engine", [io = &heart_thread->io] { io->run(); });
    } catch (...) {
        for (auto& heart : hearts) heart->hints.reset();
        heart_thread.reset();
        say_goodbye();
        throw;
    }
}
void Engine::Parts::end_hearts() {
    if (!heart_thread) return;
    stop_hearts();
    hearts_ended->wait();
    heart_thread->work.reset();
    heart_thread->thread.join();
}
void Engine::leave_all(std::chrono::milliseconds grace) {
    auto& p = *parts_;
    for (auto& loop : p.loops)
        if (loop->here() || loop.get() == core::loop_of_this_thread())
            throw Error(Code::usage, "leave_all() would block the loop of its engine on which it was called: call it "
                                     "on another thread");
    p.leaving = true;
    wait_for(p.await_claims());
    struct Left {
        std::mutex mutex;
        std::condition_variable changed;
        std::size_t loops = 0;
    };
    const auto left = std::make_shared<Left>();
    left->loops = p.loops.size();
    p.drain([left] {
        std::lock_guard lock(left->mutex);
        --left->loops;
        left->changed.notify_all();
    });
    const auto wait = [&](std::chrono::milliseconds time) {
        std::unique_lock lock(left->mutex);
        return left->changed.wait_for(lock, time, [&] { return left->loops == 0; });
    };
    if (wait(grace)) return;
    p.on_loops([](core::LoopCore& loop) { loop.keeper().leave_all(); });
    wait(1s);
}
}
