// Starts runs of durable workflows for schedules: it puts them into the engine's store, and any engine that claims them
// executes them.
//
//     auto stored = durable(refund);
//     schedule::EngineRuns runs(engine, store, schedule::targets(stored));
//     auto schedules = durable(schedule::keeping.with(runs));
//     engine.recover(stored, schedules);                                       // or worker.offer(engine, schedules)
//     engine.leave_all(0ms);                                                   // before `runs` is destroyed
//
// A schedule is made by schedule::add (engine/schedule/schedules.hpp).
#pragma once
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/schedule/workflow.hpp"
#include <functional>
#include <nlohmann/json_fwd.hpp>

namespace weft::schedule {
/// A workflow whose runs a schedule starts.
struct RunTarget {
    std::shared_ptr<const Definition> definition;  // that of durable(workflow)
    std::string stored;                            // RunOptions::stored of its runs
};
/// Finds the workflow for a start event. Throws Error{usage} for an unknown name. Any thread calls it.
using FindTarget = std::function<RunTarget(const std::string& workflow, const nlohmann::json& input)>;
FindTarget targets(std::vector<std::shared_ptr<const Definition>>);
template <class... W> FindTarget targets(const Durable<W>&... workflows) {
    return targets(std::vector<std::shared_ptr<const Definition>>{workflows.definition...});
}

class EngineRuns final : public ScheduledRuns {
public:
    /// The store is the engine's. This object must outlive the engine's runs: as a member of a class it stands before
    /// the engine, which it does not use here; as a local variable it needs Engine::leave_all().
    EngineRuns(Engine& engine, Store& store, FindTarget find)
        : engine_(engine), store_(store), find_(std::move(find)) {}
    awaitable<std::string> start(RunToStart) override;
    awaitable<std::vector<std::string>> unfinished(std::vector<std::string> runs) override;
    awaitable<void> cancel(std::string run) override;

private:
    Engine& engine_;
    Store& store_;
    const FindTarget find_;
};
}
