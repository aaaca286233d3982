// The store's threads pass answers to the loop by hear(). The loop gives back a claimed run that it cannot read.
#include "engine/core/resume.hpp"
#include "engine/core/lease.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/record.hpp"
#include "engine/core/snapshot.hpp"
#include "engine/core/stored_plan.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/retry.hpp"
#include "engine/run_options.hpp"
#include <algorithm>

namespace weft::core {
using namespace storage;
using durability::Input;
CoreRef make_stored(LoopCore& loop, std::shared_ptr<const Definition> definition, const std::string& id,
                    const RunOptions& options) {
    if (!loop.keeper().store()) throw Error(Code::usage, "a run was resumed by an engine without a store: give it one");
    if (!definition || !definition->durable)
        throw Error(Code::usage, "a run of a workflow without durable runs was resumed: wrap it in durable()");
    RunOptions named = options;
    named.id = id;
    auto core = loop.make(definition, named);
    auto& log = *core->extras->track->log;
    log.birth.reset();
    log.is_looked_for = loop.keeper().may_be_elsewhere(id);
    log.state = {.phase = durability::Phase::claiming};
    return core;
}
void resume_stored(const CoreRef& core, std::optional<std::uint64_t> epoch, const std::string& owner) {
    auto& log = *core->extras->track->log;
    LoopCore& loop = *core->loop.load();
    auto input = Input::claim;
    if (epoch) {
        log.shard = loop.keeper().shard_of_owner(owner);
        log.is_looked_for = false;
        log.lease_number = log.lease().number_of(owner);
        log.epoch = *epoch;
        const bool is_former = log.lease().is_limited() && log.lease_number == 0;  // the lease of the claim
        input = is_former ? Input::lapsed : Input::load;
    }
    loop.begin_from_any_thread(
        core, [core, input] { core->loop.load()->keeper().apply(*core->extras->track->log, {input}); });
}
namespace {
constexpr Wait between_claims{std::chrono::milliseconds(50), std::chrono::minutes(1), 2};
/// The wall clock may jump, and other programs cancel the run: this engine looks at least as often.
constexpr Duration between_visits = std::chrono::minutes(1);
bool is_cancelled(const Track& track) {
    return std::ranges::count(track.late, RunStatus::cancelled, &Track::DeferredArrival::status) > 0;
}
void send_cancel(const RunLog& log) {
    log.store().send(journal::cancellation_of(log.id),
                     [](std::exception_ptr, SendReply) {});  // claim_later() repeats it
}
/// Claims the run again at its time. Later another process may execute it, or the store may fail: again and again.
void claim_later(RunCore& run, std::optional<std::int64_t> at) {
    auto& log = *run.extras->track->log;
    LoopCore& loop = *run.loop.load();
    if (is_cancelled(*run.extras->track)) {
        send_cancel(log);
        at.reset();
    }
    const std::chrono::microseconds until_time(at ? std::clamp<std::int64_t>(*at - wall_us(run), 0, 1'000'000'000) : 0);
    log.claims = until_time.count() > 0 ? 0 : log.claims + 1;
    const auto wait = log.claims ? Duration(between_claims.before_retry(log.claims)) : Duration(until_time);
    log.resend.log = &log;
    log.resend.ring = [](Timer& t) {
        auto& of = *static_cast<RunLog::ResendTimer&>(t).log;
        of.root.loop.load()->keeper().apply(of, {Input::claim});
    };
    loop.timers().set(log.resend, loop.runtime().clock->after(std::min(wait, between_visits)));
}
/// Whether a delayed run waits for the next claim instead of an error.
bool outlives(const RunLog& log, const std::exception_ptr& error) {
    return error && log.is_delayed && !is_over(log.state) && log.epoch == 0 && code_of(error) == Code::journal;
}
}
void cancel_delayed(RunCore& run) {
    auto& log = *run.extras->track->log;
    if (!log.is_delayed) return;  // claim_later() will see it
    send_cancel(log);
    if (!log.resend.is_set()) return;
    run.loop.load()->timers().remove(log.resend);
    run.loop.load()->keeper().apply(log, {Input::claim});
}
void claim_run(RunCore& run) {
    auto& log = *run.extras->track->log;
    if (log.is_looked_for)
        return log.look_for([core = CoreRef(&run)](const std::exception_ptr& error) {
            auto& keeper = core->loop.load()->keeper();
            if (error) keeper.apply(*core->extras->track->log, {Input::unanswered}, error);
            else claim_run(*core);
        });
    ClaimRequest claim;
    const auto holder = log.lease().holder();
    log.lease_number = holder.number;
    claim.owner = holder.owner;
    claim.ids = {log.id};
    log.store().claim(std::move(claim), [core = CoreRef(&run)](std::exception_ptr error, std::vector<RunRow> rows) {
        hear(core, [core, error, epoch = rows.empty() ? 0 : rows.front().epoch] {
            LoopCore* loop = core->loop;
            if (!loop) return;
            auto& log = *core->extras->track->log;
            log.epoch = epoch;
            if (outlives(log, error)) return claim_later(*core, {});
            loop->keeper().apply(log, {error ? Input::unanswered : epoch ? Input::claimed : Input::unclaimed}, error);
        });
    });
}
static void take_history(RunCore&, const std::exception_ptr&, const History&);
void load_run(RunCore& run, std::uint64_t from) {
    const auto tell = [core = CoreRef(&run)](std::exception_ptr error, History history) {
        const auto shared = std::make_shared<const History>(std::move(history));  // std::function would copy it
        hear(core, [core, error, shared] {
            if (core->loop.load()) take_history(*core, error, *shared);
        });
    };
    run.extras->track->log->store().load(run.extras->track->log->id, tell, from);
}
static void fetch_plan(RunCore& run, const std::string& hash, const History& history) {
    const auto kept = std::make_shared<const History>(history);
    const auto tell = [core = CoreRef(&run), hash, kept](std::exception_ptr error, StoredPlan plan) {
        hear(core, [core, hash, kept, error, text = plan.plan] {
            if (!core->loop.load()) return;
            if (!error) core->extras->track->log->plans.emplace(hash, text);
            take_history(*core, error, *kept);
        });
    };
    run.extras->track->log->store().plan(hash, tell);
}
static void take_history(RunCore& run, const std::exception_ptr& error, const History& history) {
    RunLog& log = *run.extras->track->log;
    LoopCore& loop = *run.loop.load();
    Keeper& keeper = loop.keeper();
    if (outlives(log, error)) {
        keeper.apply(log, {Input::early});
        return claim_later(run, {});
    }
    log.claimed_next = history.run.next_seq;
    if (run.state.status != RunStatus::running) keeper.leave(run);  // the loop is closing
    const auto commands = keeper.apply(log, {error ? Input::unanswered : Input::loaded}, error);
    if (!commands.contains(durability::DurableCommand::restore)) return;
    try {
        const bool is_early = waits_to_begin(history.run), is_running = history.run.status == RunStatus::running;
        // The answer to this claim was lost, or Engine::claim() has the run, and cannot resume it twice.
        const bool is_own = log.epoch == 0 && is_running && history.run.owner == log.lease().holder().owner;
        // Another claim has given the run back since, or a locked row was skipped: nobody has the run.
        const bool is_free = log.epoch == 0 && !is_running && !has_ended(history.run.status);
        log.is_delayed |= is_early || is_own || is_free;
        if (log.epoch == 0 && !has_ended(history.run.status) && log.is_delayed) {
            loop.give_up_turn(run);
            if (is_own) {
                log.epoch = history.run.epoch;
                log.give_back(history.run.next_seq);
                log.epoch = 0;
            }
            keeper.apply(log, {Input::early});
            return claim_later(run, is_early ? history.run.wake_at : std::nullopt);
        }
        if (log.epoch == 0 && !has_ended(history.run.status))
            throw Error(Code::usage, "run " + log.id +
                                         " is being executed by another process: wait for its result there; "
                                         "if that process has died, try again when its lease has expired");
        restore(run, history);
        if (std::exchange(log.is_delayed, false) && run.state.status == RunStatus::running)
            loop.begin_in_turn(run, [] {});
    } catch (const MissingPlan& plan) { return fetch_plan(run, plan.hash, history); } catch (const BadSnapshot&) {
        return load_run(run, 0);
    } catch (...) { keeper.apply(log, {Input::unreadable}, std::current_exception()); }
    if (std::exchange(run.extras->track->parked, false)) loop.make_ready(run);
}
}
