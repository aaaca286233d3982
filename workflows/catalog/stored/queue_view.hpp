// The queues of a store for operators: how many runs wait and for how long, the workers, and runs nobody can take.
//
//     const auto view = view_queues(store);
//     for (auto& queue : view.queues) use(queue.ready, queue.oldest_ready_seconds);
//     write(file, queue_metrics(view));                    // for Prometheus
#pragma once
#include "engine/store.hpp"
#include "workflows/catalog/stored/worker_info.hpp"

namespace weft::catalog {
struct QueueRow {
    std::string queue;
    std::uint64_t ready = 0, running = 0, waiting = 0;
    std::uint64_t taken_over = 0;                // how many of these had an owner that died since their last tick
    std::optional<double> oldest_ready_seconds;  // since it was created
};
BOOST_DESCRIBE_STRUCT(QueueRow, (), (queue, ready, running, waiting, taken_over, oldest_ready_seconds))
struct WorkerView : WorkerInfo {
    std::string id;
    double lease_seconds = 0, age_seconds = 0;  // what is left of its lease; since its first beat
};
BOOST_DESCRIBE_STRUCT(WorkerView, (WorkerInfo), (id, lease_seconds, age_seconds))
/// Ready runs that no living worker can take, and what is missing.
struct StuckRuns {
    std::string queue, workflow, hash, run;  // of the run only if it is a single one
    std::uint64_t runs = 0;
    std::string missing;
};
BOOST_DESCRIBE_STRUCT(StuckRuns, (), (queue, workflow, hash, run, runs, missing))
struct QueueView {
    std::vector<QueueRow> queues;
    std::vector<WorkerView> workers;
    std::vector<StuckRuns> stuck;
};
BOOST_DESCRIBE_STRUCT(QueueView, (), (queues, workers, stuck))

/// Asks the store, and throws what it throws.
QueueView view_queues(Store&);
/// Without runs that workers have refused.
QueueView view_queues(const storage::Survey&);
/// The ids of runs that workers have refused, of which some may have gone on elsewhere.
std::vector<std::string> refused_runs(const QueueView&);
/// `ready`: those of refused_runs() that still are. Lists those that no other worker can have.
void add_refused(QueueView&, const std::vector<storage::RunRow>& ready);
std::string queue_metrics(const QueueView&);
}
