// Runs that are in the store already: claimed, loaded, and given back if they cannot go on here.
#include "engine/core/handle.hpp"
#include "engine/core/lease.hpp"
#include "engine/core/loop.hpp"
#include "engine/core/run_extras.hpp"
#include "engine/core/snapshot.hpp"
#include "engine/core/stored_plan.hpp"
#include "engine/error.hpp"
#include "engine/run_options.hpp"

namespace weft::core {
using namespace storage;
CoreRef Loop::make_stored(std::shared_ptr<const Definition> definition, const std::string& id,
                          const RunOptions& options) {
    if (!store_) throw Error(Code::usage, "a run was resumed by an engine without a store: give it one");
    if (!definition || !definition->durable)
        throw Error(Code::usage, "a run was resumed of a workflow without durable runs: wrap it in durable<...>()");
    RunOptions named = options;
    named.id = id;
    auto core = make(std::move(definition), named);
    core->extras->track->log->birth.reset();
    core->extras->track->loading = true;
    return core;
}
void Loop::resume(const CoreRef& core, std::optional<std::uint64_t> epoch, const std::string& owner) {
    if (epoch) core->extras->track->log->term = lease_->number_of(owner);
    begin_from_any_thread(core, [core, epoch] {
        Loop& loop = *core->loop.load();
        epoch ? loop.load(*core, *epoch) : loop.claim(*core);
    });
}
void Loop::begun_elsewhere(RunCore& run, const std::string& id) {
    reset(run);
    timers_.remove(run.extras->deadline);  // what counts is the date that was stored
    run.extras->has_timeout = false;
    run.extras->track->log->id = id;
    claim(run);
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
            if (error) loop->ids_->left_behind = true;
            error ? loop->loaded(*core, 0, error, {}) : loop->load(*core, epoch);
        });
    });
}
void Loop::load(RunCore& run, std::uint64_t epoch, std::uint64_t from) {
    const auto& id = run.extras->track->log->id;
    const auto tell = [core = CoreRef(&run), epoch](std::exception_ptr error, History history) {
        const auto shared = std::make_shared<const History>(std::move(history));  // std::function copies
        hear(core, [core, epoch, error, shared] {
            if (Loop* loop = core->loop) loop->loaded(*core, epoch, error, *shared);
        });
    };
    store_->load(id, tell, from);
}
void Loop::fetch_plan(RunCore& run, const std::string& hash, const History& history) {
    const auto epoch = run.extras->track->log->epoch;
    const auto kept = std::make_shared<const History>(history);
    store_->plan(hash, [core = CoreRef(&run), hash, epoch, kept](std::exception_ptr error, StoredPlan plan) {
        hear(core, [core, hash, epoch, kept, error, text = plan.plan] {
            Loop* loop = core->loop;
            if (!loop) return;
            if (!error) core->extras->track->log->plans.emplace(hash, text);
            loop->loaded(*core, epoch, error, *kept);
        });
    });
}
// What was claimed, and does not go on here, is free for others.
void Loop::give_back(RunLog& log, std::uint64_t epoch, const std::exception_ptr& error, const History& history) {
    if (epoch == 0) return;
    if (error) {
        ids_->left_behind = true;
        return;
    }
    store_->append(given_back(log.id, epoch, history.run.next_seq), [ids = ids_](std::exception_ptr failed, Appended) {
        if (failed) ids->left_behind = true;
    });
}
void Loop::loaded(RunCore& run, std::uint64_t epoch, const std::exception_ptr& error, const History& history) {
    RunLog& log = *run.extras->track->log;
    if (run.state.cause != Cause::none) return give_back(log, epoch, error, history);  // its loop is closing
    try {
        if (error) std::rethrow_exception(error);
        if (epoch == 0 && !has_ended(history.run.status))
            throw Error(Code::usage, "run " + log.id +
                                         " is being executed by another process: wait for its result there; "
                                         "if that process has died, try again when its lease is over");
        log.epoch = epoch;
        restore(run, history);
    } catch (const MissingPlan& plan) { return fetch_plan(run, plan.hash, history); } catch (const BadSnapshot&) {
        return load(run, epoch, 0);
    } catch (...) {
        log.lost = log.is_refused = true;  // nothing of it is changed
        log.tell_all(std::current_exception());
        give_back(log, epoch, error, history);
        fail_run(run, std::current_exception());
    }
    if (std::exchange(run.extras->track->parked, false)) make_ready(run);
}
}
