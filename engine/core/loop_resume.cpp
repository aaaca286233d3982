// Runs that are in the store already: claimed, loaded, and given back if they cannot go on here.
#include "engine/core/lease.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/snapshot.hpp"
#include "engine/core/stored_plan.hpp"
#include "engine/error.hpp"
#include "engine/run_options.hpp"

namespace weft::core {
using namespace storage;
using durability::Input;
CoreRef Loop::make_stored(std::shared_ptr<const Definition> definition, const std::string& id,
                          const RunOptions& options) {
    if (!store_) throw Error(Code::usage, "a run was resumed by an engine without a store: give it one");
    if (!definition || !definition->durable)
        throw Error(Code::usage, "a run was resumed of a workflow without durable runs: wrap it in durable<...>()");
    RunOptions named = options;
    named.id = id;
    auto core = make(std::move(definition), named);
    auto& log = *core->extras->track->log;
    log.birth.reset();
    log.state = {.phase = durability::Phase::claiming};
    return core;
}
void Loop::resume(const CoreRef& core, std::optional<std::uint64_t> epoch, const std::string& owner) {
    auto& log = *core->extras->track->log;
    if (epoch) log.term = lease_->number_of(owner);
    if (epoch) log.epoch = *epoch;
    begin_from_any_thread(core, [core, is_claimed = epoch.has_value()] {
        core->loop.load()->apply(*core->extras->track->log, {is_claimed ? Input::load : Input::claim});
    });
}
void Loop::begun_elsewhere(RunCore& run, const std::string& id) {
    auto& log = *run.extras->track->log;
    log.id = id;
    apply(log, {Input::elsewhere});
}
void Loop::claim(RunCore& run) {
    Claim claim;
    const auto term = lease_->term();
    run.extras->track->log->term = term.number;
    claim.owner = term.owner;
    claim.ids = {run.extras->track->log->id};
    store_->claim(std::move(claim), [core = CoreRef(&run)](std::exception_ptr error, std::vector<RunRow> rows) {
        hear(core, [core, error, epoch = rows.empty() ? 0 : rows.front().epoch] {
            Loop* loop = core->loop;
            if (!loop) return;
            auto& log = *core->extras->track->log;
            log.epoch = epoch;
            loop->apply(log, {error ? Input::unanswered : epoch ? Input::claimed : Input::unclaimed}, error);
        });
    });
}
void Loop::load(RunCore& run, std::uint64_t from) {
    const auto tell = [core = CoreRef(&run)](std::exception_ptr error, History history) {
        const auto shared = std::make_shared<const History>(std::move(history));  // std::function copies
        hear(core, [core, error, shared] {
            if (Loop* loop = core->loop) loop->loaded(*core, error, *shared);
        });
    };
    store_->load(run.extras->track->log->id, tell, from);
}
void Loop::fetch_plan(RunCore& run, const std::string& hash, const History& history) {
    const auto kept = std::make_shared<const History>(history);
    store_->plan(hash, [core = CoreRef(&run), hash, kept](std::exception_ptr error, StoredPlan plan) {
        hear(core, [core, hash, kept, error, text = plan.plan] {
            Loop* loop = core->loop;
            if (!loop) return;
            if (!error) core->extras->track->log->plans.emplace(hash, text);
            loop->loaded(*core, error, *kept);
        });
    });
}
void Loop::loaded(RunCore& run, const std::exception_ptr& error, const History& history) {
    RunLog& log = *run.extras->track->log;
    log.claimed_next = history.run.next_seq;
    if (run.state.status != RunStatus::running) apply(log, {Input::leave});  // its loop is closing
    if (error) return apply(log, {Input::unanswered}, error);
    const auto commands = decide(log.state, {Input::loaded});
    for (const auto command : commands) carry_out(log, command, error);
    if (!commands.contains(durability::Command::restore)) return;
    try {
        if (log.epoch == 0 && !has_ended(history.run.status))
            throw Error(Code::usage, "run " + log.id +
                                         " is being executed by another process: wait for its result there; "
                                         "if that process has died, try again when its lease is over");
        restore(run, history);
    } catch (const MissingPlan& plan) { return fetch_plan(run, plan.hash, history); } catch (const BadSnapshot&) {
        return load(run, 0);
    } catch (...) { apply(log, {Input::unreadable}, std::current_exception()); }
    if (std::exchange(run.extras->track->parked, false)) make_ready(run);
}
}
