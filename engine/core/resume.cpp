// The store's threads pass answers to the loop by hear(). The loop gives back a claimed run that it cannot read.
#include "engine/core/resume.hpp"
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
    log.state = {.phase = durability::Phase::claiming};
    return core;
}
void resume_stored(const CoreRef& core, std::optional<std::uint64_t> epoch, const std::string& owner) {
    auto& log = *core->extras->track->log;
    LoopCore& loop = *core->loop.load();
    if (epoch) log.lease_number = loop.keeper().lease().number_of(owner);
    if (epoch) log.epoch = *epoch;
    loop.begin_from_any_thread(core, [core, is_claimed = epoch.has_value()] {
        core->loop.load()->keeper().apply(*core->extras->track->log, {is_claimed ? Input::load : Input::claim});
    });
}
void claim_run(RunCore& run) {
    auto& log = *run.extras->track->log;
    ClaimRequest claim;
    const auto holder = run.loop.load()->keeper().lease().holder();
    log.lease_number = holder.number;
    claim.owner = holder.owner;
    claim.ids = {log.id};
    log.store.claim(std::move(claim), [core = CoreRef(&run)](std::exception_ptr error, std::vector<RunRow> rows) {
        hear(core, [core, error, epoch = rows.empty() ? 0 : rows.front().epoch] {
            LoopCore* loop = core->loop;
            if (!loop) return;
            auto& log = *core->extras->track->log;
            log.epoch = epoch;
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
    run.extras->track->log->store.load(run.extras->track->log->id, tell, from);
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
    run.extras->track->log->store.plan(hash, tell);
}
static void take_history(RunCore& run, const std::exception_ptr& error, const History& history) {
    RunLog& log = *run.extras->track->log;
    LoopCore& loop = *run.loop.load();
    Keeper& keeper = loop.keeper();
    log.claimed_next = history.run.next_seq;
    if (run.state.status != RunStatus::running) keeper.leave(run);  // the loop is closing
    const auto commands = keeper.apply(log, {error ? Input::unanswered : Input::loaded}, error);
    if (!commands.contains(durability::DurableCommand::restore)) return;
    try {
        if (log.epoch == 0 && !has_ended(history.run.status))
            throw Error(Code::usage, "run " + log.id +
                                         " is being executed by another process: wait for its result there; "
                                         "if that process has died, try again when its lease has expired");
        restore(run, history);
    } catch (const MissingPlan& plan) { return fetch_plan(run, plan.hash, history); } catch (const BadSnapshot&) {
        return load_run(run, 0);
    } catch (...) { keeper.apply(log, {Input::unreadable}, std::current_exception()); }
    if (std::exchange(run.extras->track->parked, false)) loop.make_ready(run);
}
}
