// The life of a run on its loop: start, admission, turns, end.
#include "engine/core/loop/loop.hpp"
#include "engine/core/data/run_values.hpp"
#include "engine/core/loop/admission.hpp"
#include "engine/core/loop/attempt.hpp"
#include "engine/core/loop/begin_again.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/record.hpp"
#include "engine/observer.hpp"
#include "engine/run_options.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cassert>
#include <cstddef>
#include <memory>

namespace weft::core {
namespace {
thread_local LoopCore* turning = nullptr;  // the loop whose turn this thread is in
/// A run that waits beside many others has left the cache: this brings it back while the run before it works, and also
/// the beginning of the run after it.
void fetch(const RunCore& run) {
    const auto lines = [](const void* of, int pairs) {  // the processor reads lines in pairs
        for (int i = 0; i < pairs; ++i) __builtin_prefetch(static_cast<const std::byte*>(of) + 128 * i);
    };
    if (run.next_ready) lines(run.next_ready, 3);
    lines(run.commands, 1);
    lines(run.cells.memory(), 1);
    lines(run.state.lanes.begin(), 1);
    lines(run.state.groups.memory(), 1);
    if (run.extras) lines(run.extras, 2);
}
/// Runs with one debounce key are in one shard, which replaces the first one's start.
std::string drawn_id(const Store& store, const std::string& number, const std::string& debounce) {
    auto id = number;
    if (debounce.empty()) return id;
    for (int n = 2; store.shard_of(id) != store.shard_of(debounce); ++n) id = number + '-' + std::to_string(n);
    return id;
}
/// The run begins by a later claim, here or elsewhere.
bool is_left_to_claims(const RunCore& run) {
    const auto* track = run.extras ? run.extras->track.get() : nullptr;
    if (!track) return false;
    const auto& log = *track->log;
    return log.state.is_detached || (log.birth && log.birth->not_before);
}
void check_debounce(const RunOptions& options, WallTime date) {
    using std::chrono::microseconds;
    if (options.debounce.empty() && !options.debounce_longest) return;
    if (options.debounce.empty())
        throw Error(Code::usage,
                    "debounce_longest of a run has no effect without debounce: give both, or leave it out");
    const auto refuse = [&](const std::string& why) {
        throw Error(Code::usage, "a run with the debounce key '" + excerpt(options.debounce, 60) + "' " + why);
    };
    if (!options.detached || !options.not_before || !options.id.empty() || !options.key.empty() ||
        !options.forked_from.empty())
        refuse("is detached, has a time, and takes no id, key or fork, because later starts replace it until its time");
    const auto longest = options.debounce_longest.value_or(microseconds(storage::longest_debounce)).count();
    if (longest <= 0 || longest > storage::longest_debounce ||
        *options.not_before > date + std::chrono::microseconds(storage::longest_debounce))
        refuse("waits too long or too short: give times of more than 0 s and at most 366 days");
}
}
LoopCore* loop_of_this_thread() { return turning; }

LoopCore::LoopCore(Runtime runtime, Settings settings)
    : runtime_(std::move(runtime)),
      context_(settings.context),
      attempts_(*this, settings.store ? &keeper_ : nullptr, settings.seed ? *settings.seed : draw_seed()),
      keeper_(*this, runtime_, settings),
      ids_(settings.ids ? settings.ids : std::make_shared<RunIds>()),
      admission_(settings.admission ? settings.admission : std::make_shared<Admission>(0)),
      observer_(settings.observer),
      next_number_(attempts_.first_number()),
      mailbox_(new Mailbox(*this, runtime_.executor, !settings.context)),
      timers_(runtime_) {
    mailbox_->drop();  // the count began with 1
}

LoopCore::~LoopCore() {
    close();
    if (turning == this) turning = nullptr;
}
// Requests all work to stop first. Then the destruction of each frame waits for its work only. Meanwhile calls of other
// threads find ended runs. The mailbox closes last, so no call is lost.
void LoopCore::close() {
    if (closing_.exchange(true)) return;
    keeper_.close();
    for (auto* run = runs_; run; run = run->next) {
        run->stir();
        if (run->state.status == RunStatus::running) run->state.status = RunStatus::cancelled;
    }
    for (auto* run = runs_; run; run = run->next) end(*run);
    std::vector<CoreRef> left;
    attempts_.forget_all_ended();
    for (auto* run = runs_; run; run = run->next) {
        left.emplace_back(run);
        attempts_.destroy_all(*run);
    }
    while (runs_) retire(*runs_);
    first_ready_ = nullptr;
    woken_.clear();
    mailbox_->close();
    for (auto& run : left) wake_all(*run);  // last, because readers may execute any code
}
void LoopCore::begin_from_any_thread(const CoreRef& core, std::function<void()> arrive) {
    if (here()) {
        adopt(*core);
        return begin_in_turn(*core, std::move(arrive));
    }
    auto begin = [core, arrive = std::move(arrive)] {
        LoopCore& loop = *core->loop.load();
        if (!loop.closing_) {
            loop.adopt(*core);
            return loop.begin_in_turn(*core, arrive);
        }
        core->state.status = RunStatus::cancelled;
        core->ended = core->complete = true;
        if (core->extras) core->extras->release_id();
        core->loop.store(nullptr, std::memory_order_release);
        wake_all(*core);
    };
    if (!mailbox_->post(begin)) begin();  // the loop is closed, but exists as long as its engine
}
void LoopCore::mark_thread() { turning = this; }

bool LoopCore::here() const { return !context_ || context_->get_executor().running_in_this_thread(); }
// Loops that start runs of the same definition would all write to the count of its owners. The second start of it in a
// row gives the loop a count of its own, and keeps the definition until the loop starts another one twice.
const std::shared_ptr<const Definition>& LoopCore::counted_here(const std::shared_ptr<const Definition>& definition) {
    if (definition.use_count() == 0 || (context_ && turning != this))
        return definition;  // without a count; another thread
    const Definition* d = definition.get();
    if (counted_.get() == d) return counted_;
    if (std::exchange(last_definition_, d) != d) return definition;
    return counted_ = {std::make_shared<std::shared_ptr<const Definition>>(definition), d};
}
CoreRef LoopCore::make(const std::shared_ptr<const Definition>& definition, const RunOptions& options, bool root) {
    if (closing_) throw Error(Code::usage, "a run was started on a loop that is being destroyed");
    if (!definition) throw Error(Code::usage, "a workflow was started after a move: start the object it was moved to");
    if (options.timeout && options.timeout->count() <= 0)
        throw Error(Code::usage, "a run was given a timeout of " + in_seconds(*options.timeout) +
                                     ": a timeout must be longer than 0 s; omit it for none");
    auto* run = new RunCore(*this, *mailbox_, counted_here(definition), next_number_++);
    CoreRef ref(run);
    run->drop();
    if (auto* seeds = PrivateAccess::slots(options.slots)) run->slots.add_copies(*seeds);
    if (is_traceparent(options.traceparent))
        run->more().trace.reset(new TraceContext{
            options.traceparent, is_tracestate(options.tracestate) ? options.tracestate : std::string()});
    if (!is_blank(options.values.text)) run->more().values = checked_values(options.values.text);
    const bool observed = options.observer || observer_;
    const bool stored = root && keeper_.store() && run->definition->durable;
    if (options.not_before && !stored)
        throw Error(Code::usage,
                    "a run was given a time to begin, and only a stored run waits: give its engine a store, "
                    "and wrap its workflow in durable(); a child run begins at once");
    if (options.detached && !stored)
        throw Error(Code::usage, "a run was detached, but no store would keep it: give its engine a store, and wrap "
                                 "its workflow in durable()");
    check_debounce(options, keeper_.shards().front()->lease->date());
    if (options.timeout || !options.id.empty() || observed || options.tell_idle || options.tell_progress || stored) {
        auto& x = run->more();
        x.id = stored ? stored_id(*run->definition, options) : options.id;
        if (stored && x.id.empty()) x.id = drawn_id(*keeper_.store(), run->id(), options.debounce);
        run->named = !x.id.empty();
        if (observed) x.watch = std::make_unique<RunObservation>(*run, options.observer, observer_);
        x.tell_idle = options.tell_idle;
        if (options.tell_progress) x.progress.emplace();
        if (options.timeout) x.timeout = *options.timeout;
        x.has_timeout = options.timeout.has_value();
        if (run->named) take_id(x);
        if (stored) keeper_.begin_log(*run, options);
    }
    return ref;
}
void LoopCore::take_id(RunExtras& x) {
    std::lock_guard lock(ids_->mutex);
    if (!ids_->taken.try_emplace(x.id, &x.run).second)
        throw Error(Code::usage, "a run was started with the id '" + x.id +
                                     "' while another run with that id is unfinished: use an id again only when its "
                                     "run has ended");
    x.ids = ids_;
}
std::optional<CoreRef> LoopCore::find(const std::string& id) const {
    std::lock_guard lock(ids_->mutex);
    const auto found = ids_->taken.find(id);
    if (found == ids_->taken.end() || !found->second->owners.try_add()) return {};
    const CoreRef ref(found->second);
    found->second->drop();
    return ref;
}
bool LoopCore::limits(const RunCore& run) const { return admission_->limits(*run.definition); }
void LoopCore::begin_in_turn(RunCore& run, std::function<void()> arrive) {
    if (!limits(run) || is_left_to_claims(run) || admission_->enter(run)) return guarded(run, arrive);
    auto& x = *run.extras;
    const auto tell = [&x] {
        if (auto& watch = x.watch) watch->tell([&](Observer& o) { o.run_queued(watch->run()); });
    };
    if (x.track) {  // a durable run is stored at once, and takes mail while it waits
        x.held = true;
        tell();
        return guarded(run, arrive);
    }
    x.start.push_back(std::move(arrive));
    run.activity.store(RunCore::Activity::queued, std::memory_order_release);
    tell();
}
void LoopCore::give_up_turn(RunCore& run) {
    if (!limits(run)) return;
    run.extras->held = false;
    admission_->leave(run);
}
void LoopCore::begin_queued(RunCore& run) {
    if (run.extras->held.exchange(false)) {
        if (std::exchange(run.extras->track->parked, false)) make_ready(run);
        return;
    }
    const auto start = std::exchange(run.extras->start, {});
    if (run.state.status != RunStatus::running || start.empty()) return;
    run.activity.store(RunCore::Activity::busy, std::memory_order_release);
    for (auto& arrive : start) guarded(run, arrive);
}
void LoopCore::adopt(RunCore& run, RunCore* parent, Handle token) {
    run.hold();
    run.next = runs_;
    if (runs_) runs_->back = &run.next;
    run.back = &runs_;
    runs_ = &run;
    if (parent) {
        parent->hold();
        run.more().parent = parent;
        run.extras->parent_step = parent->state.tokens[token].step;
        auto& heard = parent->more().watch;
        if (heard && !run.extras->watch) run.extras->watch = std::make_unique<RunObservation>(run, nullptr, nullptr);
        if (heard) run.extras->watch->inherit(*heard, token);
    }
    if (!run.extras) return;
    if (run.extras->track) keeper_.watch_lease();
    if (auto& watch = run.extras->watch) watch->tell([&](Observer& o) { o.run_started(watch->run()); });
    if (!run.extras->has_timeout) return;
    timers_.set(run.extras->deadline, runtime_.clock->after(run.extras->timeout));
}

// --- turns ---
void LoopCore::lend_commands(RunCore& run) {  // a run has a queue only while it has work
    if (run.activity.load(std::memory_order_relaxed) != RunCore::Activity::busy) run.stir();
    if (spare_.empty()) spare_.push_back(std::make_unique<CommandQueue>());
    run.commands = spare_.back().release();
    spare_.pop_back();
    make_ready(run);
}
void LoopCore::make_ready(RunCore& run) {
    assert(run.commands && run.loop.load() == this);
    run.next_ready = nullptr;
    (first_ready_ ? last_ready_->next_ready : first_ready_) = &run;
    last_ready_ = &run;
    schedule();
}
void LoopCore::schedule() {
    if (std::exchange(scheduled_, true)) return;
    asio::post(runtime_.executor, [mailbox = mailbox_] {
        if (auto* loop = mailbox->loop()) loop->turn();
    });
}
void LoopCore::turn() {
    // While scheduled_ is set, no turn is posted: this turn executes runs that become ready in it, up to a limit. A
    // resumed reader may destroy the loop. An exception that leaves the turn leaves the loop in a valid state.
    struct Turn {
        MailboxRef mailbox;
        LoopCore* outer;
        explicit Turn(LoopCore& l) : mailbox(l.mailbox_), outer(std::exchange(turning, &l)) {}
        ~Turn() {
            turning = outer;
            LoopCore* l = mailbox->loop();
            if (!l) return;
            l->scheduled_ = false;
            if (l->first_ready_ || l->attempts_.any_ended() || !l->woken_.empty()) l->schedule();
        }
    } turn(*this);
    attempts_.collect_ended();
    for (int n = 0; n < 64 && first_ready_; ++n) {
        auto* run = first_ready_;
        first_ready_ = run->next_ready;
        if (first_ready_) fetch(*first_ready_);
        pump(*run);
        if (!turn.mailbox->loop()) return;
    }
    while (!woken_.empty()) {
        for (auto& run : std::exchange(woken_, {})) {
            run->woken = false;
            wake_all(*run);
            if (!turn.mailbox->loop()) return;
        }
    }
    keeper_.leave_still();
}
void LoopCore::wake(RunCore& run) {
    if (!run.readers || std::exchange(run.woken, true)) return;
    woken_.emplace_back(&run);
    schedule();
}
void wake_all(RunCore& run) {
    Waiter* list = std::exchange(run.readers, nullptr);
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-pointer"  // the list is empty when this function returns
#endif
    if (list) list->back = &list;  // a waiter that is destroyed meanwhile unlinks itself
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
    while (auto* w = list) {
        w->unlink();
        w->wake(*w);
    }
}

// --- the end of a run ---
void LoopCore::fail_run(RunCore& run, std::exception_ptr error) noexcept {
    if (run.state.status != RunStatus::running) return;
    run.stir();
    auto& x = run.more();
    const bool leaves_memory = x.track && x.track->log && durability::is_over(x.track->log->state);
    if (leaves_memory) run.state.ending = EndingPhase::not_begun;  // the ending continues elsewhere
    if (x.track) {
        x.track->prepared = {};
        x.track->extra = {};
        x.track->extra.error = error;
    }
    if (run.state.ending == EndingPhase::not_begun) x.error = error;
    else x.undo_error = sentence_of(error);
    run.end_by(RunStatus::failed);
}
void LoopCore::end(RunCore& run) {
    run.ended = true;
    if (run.extras) run.extras->remove_timers(timers_);
    for (auto* a = run.attempts; a;) {
        auto* next = a->next;
        a->cancel();
        a = next;
    }
    wake(run);
}
void LoopCore::complete(RunCore& run) {  // no attempt of the run is left
    const CoreRef ref(&run);
    retire(run);
    wake_all(run);  // no step is on the stack
}
void LoopCore::retire(RunCore& run) {
    *run.back = run.next;
    if (run.next) run.next->back = run.back;
    run.complete = true;
    if (auto* x = run.extras) {
        const auto shard = x->track && x->track->path.empty() && durability::is_left_behind(x->track->log->state)
                               ? x->track->log->shard
                               : nullptr;
        const bool has_ended = !x->track || !is_refused(x->track->log->state);
        if (x->track) keeper_.leave_log(run);
        x->track.reset();  // a handle needs only the end of the run
        x->leave_parent();
        x->release_id();
        if (shard) shard->left_behind = true;
        x->start.clear();
        x->waiting_start.reset();
        if (x->watch) x->watch->gone(has_ended);
        if (limits(run)) admission_->leave(run);
    }
    run.loop.store(nullptr, std::memory_order_release);
    run.drop();
}
}
