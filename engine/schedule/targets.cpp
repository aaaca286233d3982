// A loop of its own makes the first tick of a run, so the run is none of the engine's, which may claim it meanwhile.
#include "engine/schedule/targets.hpp"
#include "engine/core/loop/attempt.hpp"
#include "engine/core/shard.hpp"
#include "engine/journal/format.hpp"
#include "engine/json.hpp"
#include "engine/json_run.hpp"
#include "engine/loop.hpp"
#include "engine/store_reply.hpp"
#include "engine/text/text.hpp"
#include "engine/timeout.hpp"

namespace weft::schedule {
namespace {
core::Keeper& keeper_around(core::Scope* scope) {
    const auto* attempt = core::attempt_around(scope);
    auto* loop = attempt ? attempt->run.loop.load() : nullptr;
    if (!loop || !loop->keeper().store())
        throw Error(Code::usage, "a schedule was executed without a store: give its engine a store");
    return loop->keeper();
}
/// Runs in the store of the engine whose step calls.
class RunsOfStore final : public ScheduledRuns {
public:
    RunsOfStore(FindTarget find, OnFiring on_firing) : find_(std::move(find)), on_firing_(std::move(on_firing)) {}
    awaitable<std::string> start(RunToStart start) override {
        auto& keeper = keeper_around(co_await core::awaiting_scope());
        auto putting = put_run(*keeper.store(), find_, std::move(start), keeper.shards().front()->lease);
        co_return co_await std::move(putting);
    }
    awaitable<std::vector<std::string>> unfinished(std::vector<std::string> runs) override {
        auto& store = *keeper_around(co_await core::awaiting_scope()).store();
        storage::Filter named;
        named.ids = std::move(runs);
        auto asking = store_reply<std::vector<storage::RunRow>>([&](auto then) { store.list(named, std::move(then)); });
        std::vector<std::string> found;
        for (auto& row : co_await std::move(asking))
            if (!has_ended(row.status)) found.push_back(std::move(row.id));
        co_return found;
    }
    awaitable<void> cancel(std::string run) override {
        auto& store = *keeper_around(co_await core::awaiting_scope()).store();
        auto sending = store_reply<storage::SendReply>(
            [&](auto then) { store.send(journal::cancellation_of(run), std::move(then)); });
        (void)co_await std::move(sending);
    }
    void fired(const ScheduleEvent& schedule, const Firing& firing, std::chrono::seconds late) override {
        if (on_firing_) on_firing_(schedule, firing, late);
    }

private:
    const FindTarget find_;
    const OnFiring on_firing_;
};
}
FindTarget targets(std::vector<std::shared_ptr<const Definition>> all) {
    return [all = std::move(all)](const std::string& workflow, const nlohmann::json&) {
        for (const auto& definition : all)
            if (definition->name == workflow) return RunTarget{definition, {}};
        throw Error(Code::usage, "there is no workflow \"" + workflow + "\" for a schedule; there are " +
                                     with_commas(all, [](const auto& each) { return each->name; }));
    };
}
Schedules schedules_of(FindTarget find, OnFiring on_firing) {
    struct Owned {
        Owned(FindTarget f, OnFiring o) : runs(std::move(f), std::move(o)) {}
        RunsOfStore runs;
        Schedules bound = durable(keeping.with(runs));
    };
    const auto owned = std::make_shared<Owned>(std::move(find), std::move(on_firing));
    return {{std::shared_ptr<const Definition>(owned, owned->bound.definition.get())}};
}
awaitable<std::string> put_run(Store& store, std::shared_ptr<const Definition> definition, nlohmann::json input,
                               RunOptions options, std::shared_ptr<core::Lease> lease) {
    const auto* runtime = co_await this_runtime();
    Loop loop(*runtime, {.store = &store, .lease = std::move(lease)});
    options.detached = true;
    const auto run = start_json(loop, std::move(definition), input, options);
    auto storing = run.until_stored();
    co_await std::move(storing);
    co_return run.id();
}
awaitable<std::string> put_run(Store& store, const FindTarget& find, ScheduledRuns::RunToStart start,
                               std::shared_ptr<core::Lease> lease) {
    auto input = to_json(start.input);
    auto target = find(start.workflow, input);
    RunOptions options;
    options.timeout = start.timeout;
    options.key = std::move(start.key);
    options.queue = std::move(start.queue);
    options.stored = std::move(target.stored);
    return put_run(store, std::move(target.definition), std::move(input), std::move(options), std::move(lease));
}
}
