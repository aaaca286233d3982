// The workflow of schedules, for an engine that executes them: it puts runs of other durable workflows into that
// engine's store, and any engine that claims them executes them.
//
//     auto stored = durable(refund);
//     auto schedules = schedule::schedules_of(stored);
//     engine.recover(stored, schedules);                                       // or worker.offer(engine, schedules)
//
// It owns its resources, and serves any number of engines. Engine::schedule makes a schedule; see
// engine/schedule/schedules.hpp.
#pragma once
#include "engine/durable.hpp"
#include "engine/run_options.hpp"
#include "engine/schedule/workflow.hpp"
#include <functional>
#include <nlohmann/json_fwd.hpp>

namespace weft {
class Store;
namespace core {
class Lease;
}
}
namespace weft::schedule {
/// A workflow whose runs a schedule starts.
struct RunTarget {
    std::shared_ptr<const Definition> definition;  // that of durable(workflow)
    std::string stored;                            // RunOptions::stored of its runs
};
/// Finds the workflow for a start event. Throws Error{usage} for an unknown name. Any thread calls it.
using FindTarget = std::function<RunTarget(const std::string& workflow, const nlohmann::json& input)>;
FindTarget targets(std::vector<std::shared_ptr<const Definition>>);
template <class... W> FindTarget targets(const Bound<W>&... workflows) {
    return targets(std::vector<std::shared_ptr<const Definition>>{workflows.definition...});
}
/// See ScheduledRuns::fired. Any loop calls it.
using OnFiring = std::function<void(const ScheduleEvent&, const Firing&, std::chrono::seconds late)>;
using Schedules = Durable<std::remove_cvref_t<decltype(keeping)>>;
Schedules schedules_of(FindTarget, OnFiring = {});
template <class... W> Schedules schedules_of(const Bound<W>&... workflows) {
    return schedules_of(targets(workflows...));
}

/// Puts a run of this durable workflow into the store, and returns its id once the store has it. If a run with this key
/// exists, returns that one's. The lease knows the store's date; null: the clock of the coroutine does.
awaitable<std::string> put_run(Store&, std::shared_ptr<const Definition>, nlohmann::json input, RunOptions,
                               std::shared_ptr<core::Lease> = {});
/// The same with the target of a schedule's run.
awaitable<std::string> put_run(Store&, const FindTarget&, ScheduledRuns::RunToStart, std::shared_ptr<core::Lease> = {});
}
