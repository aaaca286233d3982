// The queues of a store for operators: number and age of waiting runs, the workers, and runs that no worker can take.
//
//     const auto view = view_queues(store);
//     for (auto& queue : view.queues) use(queue.ready, queue.oldest_ready_seconds);
//     auto gathering = store_metrics(store);               // for Prometheus
#pragma once
#include "engine/awaitable.hpp"
#include "engine/store.hpp"
#include "workflows/catalog/stored/worker_info.hpp"

namespace weft::storage {
BOOST_DESCRIBE_STRUCT(QueueLimits, (), (running, per, running_per_key, starts, seconds))
}
namespace weft::catalog {
struct QueueRow {
    std::string queue;
    std::uint64_t ready = 0, running = 0, waiting = 0;
    std::uint64_t taken_over = 0;                // number of these runs whose owner died since their last tick
    std::optional<double> oldest_ready_seconds;  // time since the oldest ready run became ready
    std::uint64_t sleeping = 0;                  // waiting runs that continue at a time, or earlier by mail
    std::optional<double> overdue_seconds;       // time since the earliest of these times, if it is over
    std::optional<storage::QueueLimits> limits;  // empty: none
    std::uint64_t held_back = 0;                 // ready runs that wait for a limit
    std::optional<double> starts_left;           // runs that a limit of starts lets begin now
};
BOOST_DESCRIBE_STRUCT(QueueRow, (),
                      (queue, ready, running, waiting, taken_over, oldest_ready_seconds, sleeping, overdue_seconds,
                       limits, held_back, starts_left))
struct WorkerView : WorkerInfo {
    std::string id;
    double lease_seconds = 0, age_seconds = 0;  // the rest of its lease; the time since its first heartbeat
};
BOOST_DESCRIBE_STRUCT(WorkerView, (WorkerInfo), (id, lease_seconds, age_seconds))
/// Ready runs that no living worker can take, and the reason.
struct StuckRuns {
    std::string queue, workflow, hash, run;  // `run` is empty for several runs
    std::uint64_t runs = 0;
    std::string missing;
};
BOOST_DESCRIBE_STRUCT(StuckRuns, (), (queue, workflow, hash, run, runs, missing))
struct QueueView {
    std::vector<QueueRow> queues;
    std::vector<WorkerView> workers;
    std::vector<StuckRuns> stuck;
    std::uint64_t schedules = 0, paused_schedules = 0;  // that have not ended; those of them that wait without a time
    static constexpr std::string_view undescribed_fields[] = {"schedules", "paused_schedules"};
};
BOOST_DESCRIBE_STRUCT(QueueView, (), (queues, workers, stuck))

/// Asks the store, and throws the store's errors.
QueueView view_queues(Store&);
/// Omits runs that workers have refused.
QueueView view_queues(const storage::Survey&);
/// The ids of runs that workers have refused; other workers may have taken some of them since.
std::vector<std::string> refused_runs(const QueueView&);
/// Adds the runs that no other worker can take. `ready` are the runs of refused_runs() that are still ready.
void add_refused(QueueView&, const std::vector<storage::RunRow>& ready);
/// Metrics of the queues and workers, and of the limits of models, for Prometheus.
std::string queue_metrics(const QueueView&);
std::string model_metrics(const std::vector<storage::ModelFlow>&);
/// All of them. Asks the store, and is empty if a database of it does not answer within 5 s, or with an error.
awaitable<std::string> store_metrics(Store&);
}
