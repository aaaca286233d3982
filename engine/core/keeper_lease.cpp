// Watches the lease of stored runs, and removes runs from memory: for good, or until mail arrives or a timer is due.
#include "engine/core/keeper.hpp"
#include "engine/core/lease.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/record.hpp"
#include "engine/core/sleep.hpp"
#include "engine/core/wait/answer_taker.hpp"
#include "engine/core/wait/pending_wait.hpp"
#include <algorithm>

namespace weft::core {
using durability::Input;
namespace {
bool is_stored_root(const RunCore& run) { return run.extras && run.extras->track && run.extras->track->path.empty(); }
/// The log of the run or of its nearest durable ancestor; null: there is no such run.
RunLog* log_of(const RunCore& run) {
    const auto* stored = &run;
    while (stored && !(stored->extras && stored->extras->track))
        stored = stored->extras ? stored->extras->parent : nullptr;
    return stored ? stored->extras->track->log.get() : nullptr;
}
/// Whether the run has no owner, and this engine claims it later.
bool waits_for_time(const RunLog& log) { return log.is_delayed && log.resend.is_set(); }
/// Whether all waiting steps of the run sleep or wait for child runs, and these children are still, too.
bool is_still(const RunLog& log, const RunCore& run) {
    std::uint32_t waits = 0;
    for (auto* sleep = run.extras->sleeps; sleep; sleep = sleep->next) ++waits;
    for (const auto* other : log.family) {
        if (other == &run || other->extras->parent != &run) continue;
        if (!is_still(log, *other)) return false;
        waits += other->extras->awaited;
    }
    return run.waiting <= waits;
}
/// Whether a step of the run or of a child sleeps, and nothing else is at work.
bool only_sleeps(const RunLog& log) {
    const auto rests = [](const RunCore* run) { return run->state.status == RunStatus::running && !run->commands; };
    const auto sleeps = [](const RunCore* run) { return run->extras->sleeps != nullptr; };
    return std::ranges::any_of(log.family, sleeps) && std::ranges::all_of(log.family, rests) && is_still(log, log.root);
}
std::vector<std::shared_ptr<Shard>> shards_of(const LoopSettings& settings, const Clock& clock) {
    if (!settings.shards.empty()) return settings.shards;
    auto lease = settings.lease ? settings.lease : std::make_shared<Lease>(std::to_string(draw_seed()), clock);
    return {std::make_shared<Shard>(settings.store, std::move(lease))};
}
constexpr std::int64_t shortest_parked_sleep = 5'000'000;  // microseconds: for less time a sleeping run stays in memory
/// Whether the run sleeps, for long enough to leave memory.
bool sleeps_long(const RunCore& run) {
    const auto& log = *run.extras->track->log;
    return only_sleeps(log) && wake_time(log).value() - wall_us(run) >= shortest_parked_sleep;
}
}
Keeper::Keeper(LoopCore& loop, const Runtime& runtime, const LoopSettings& settings)
    : loop_(loop),
      store_(settings.store),
      snapshot_every_(settings.snapshot_every),
      shards_(shards_of(settings, *runtime.clock)),
      answer_taker_(store_ && settings.context ? std::make_shared<AnswerTaker>(runtime.executor) : nullptr) {}
void Keeper::close() {
    if (answer_taker_) answer_taker_->close();
    loop_.timers().remove(lease_timer_);
    for (auto* run = loop_.runs(); run; run = run->next)
        if (run->extras && run->extras->track) run->extras->track->log->tell_rest();
}
bool Keeper::is_in_doubt(const RunLog& log) const {
    return !is_over(log.state) && !log.lease().may_begin(log.lease_number);
}
bool Keeper::may_begin(const RunCore& run) const {
    const auto* log = log_of(run);
    if (log && is_over(log->state))
        throw_aborted();  // a later turn cancels the run's steps; the calling step was resumed before
    return !log || !is_in_doubt(*log);
}
Lease& Keeper::lease_of(const RunCore& run) const {
    const auto* track = run.extras ? run.extras->track.get() : nullptr;
    return track && track->log ? track->log->lease() : *shards_.front()->lease;  // a replayed run has no log
}
bool Keeper::may_be_elsewhere(const std::string& run) const {
    return shards_.size() > 1 && store_->may_be_elsewhere(run);  // a loop that only starts runs has one shard
}
std::shared_ptr<Shard> Keeper::shard_of_owner(const std::string& owner) const {
    for (const auto& shard : shards_)
        if (shard->lease->has_been(owner)) return shard;
    return shards_.front();  // nobody's run: its lease is over
}
void Keeper::watch_lease() {
    if (!shards_.front()->lease->is_limited() || lease_timer_.is_set() || loop_.is_closing()) return;
    lease_timer_.keeper = this;
    lease_timer_.ring = [](Timer& t) { static_cast<LeaseTimer&>(t).keeper->drop_lapsed(); };
    auto left = Duration::max();
    for (const auto& shard : shards_) left = std::min(left, shard->lease->left());
    loop_.timers().set(lease_timer_,
                       loop_.runtime().clock->after(std::max<Duration>(left, std::chrono::milliseconds(1))));
}
void Keeper::drop_lapsed() {
    bool any = false;
    for (const auto& shard : shards_)
        if (const auto number = shard->lease->holder().number; shard->lease->is_over(number))
            shard->lease->begin_anew(number);
    for (auto* run = loop_.runs(); run; run = run->next) {
        if (!is_stored_root(*run)) continue;
        auto& log = *run->extras->track->log;
        if (is_over(log.state)) continue;
        if (!log.lease().is_over(log.lease_number) || waits_for_time(log)) {
            any = true;
            continue;
        }
        apply(log, {Input::lapsed});
    }
    if (any) watch_lease();
}
void Keeper::lease_renewed() {
    for (auto* run = loop_.runs(); run; run = run->next)
        if (is_stored_root(*run)) go_on(*run->extras->track->log);
}
// The caller cannot wait for the next heartbeat, so the run leaves memory.
void Keeper::demand_lease(RunCore& run) {
    if (may_begin(run)) return;
    apply(*log_of(run), {Input::doubted});
    throw_aborted();
}

void Keeper::drain(std::function<void()> drained) {
    drained_ = std::move(drained);
    leave_still();
}
void Keeper::leave_still() {
    if (!drained_) return;
    for (auto* run = loop_.runs(); run;) {
        auto* next = run->next;
        if (is_stored_root(*run)) {
            auto& log = *run->extras->track->log;
            apply(log, {waits_for_time(log) ? Input::leave : Input::drain});
        }
        run = next;
    }
    for (auto* run = loop_.runs(); run; run = run->next)
        if (is_stored_root(*run)) return;
    std::exchange(drained_, [] {})();
}
void Keeper::leave_or_park(RunCore& run) {
    if (run.state.status != RunStatus::running || !is_still(*run.extras->track->log, run)) return;
    if (!park(run)) leave(run);
}
void Keeper::leave(RunCore& run) { apply(*run.extras->track->log, {Input::leave}); }
void Keeper::leave_all() {
    for (auto* run = loop_.runs(); run; run = run->next)
        if (is_stored_root(*run) && run->state.status == RunStatus::running) leave(*run);
}

// --- runs that wait in the store only ---
void Keeper::park_idle() {
    for (auto* run = loop_.runs(); run;) {
        auto* next = run->next;
        if (is_stored_root(*run) && (run->idle() || sleeps_long(*run))) park(*run);
        run = next;
    }
}
bool Keeper::park(RunCore& run) {
    auto& x = *run.extras;
    auto& log = *x.track->log;
    if (!is_at_rest(log.state) || !((run.idle() && !run.attempts) || only_sleeps(log))) return false;
    const auto is_child = [&](const RunCore* other) { return other->extras->parent == &run; };
    {
        // A look-up by id has either found the run in memory before this lock, or finds it in the store after it.
        std::lock_guard lock(loop_.ids()->mutex);
        if (!run.owners.has(1 + int(std::ranges::count_if(log.family, is_child)))) return false;
        apply(log, {Input::park});
        loop_.ids()->taken.erase(x.id);
        x.ids = nullptr;
    }
    const std::vector<CoreRef> family(log.family.begin(), log.family.end());
    for (auto& each : family) leave_memory(*each);
    for (auto& each : family) loop_.retire(*each);
    return true;
}
void Keeper::leave_memory(RunCore& run) {
    auto& x = *run.extras;
    run.stir();
    if (run.attempts) {
        run.state.status = RunStatus::cancelled;  // what the frames destroy does not become a tick
        loop_.attempts().destroy_all(run);
    }
    if (x.watch) x.watch->tell([&](Observer& o) { o.run_parked(x.watch->run()); });
    x.watch.reset();  // before retire(), which would report an end
    x.remove_timers(loop_.timers());
}
}
