// Workers' texts come from an untrusted store: unreadable texts are left out.
#include "workflows/catalog/stored/queue_view.hpp"
#include "engine/json.hpp"
#include "engine/store_reply.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace weft::catalog {
using namespace storage;
namespace {
constexpr std::chrono::seconds longest_gathering{5};
constexpr std::size_t most_listed_queues = 1000, most_listed_refused = 1000, most_text = 200;

/// The reason why no worker takes runs of this kind; empty if one does.
std::string missing_for(const RunCount& count, const std::vector<WorkerView>& workers) {
    if (workers.empty()) return "there is no worker";
    bool has_queue = false, has_both = false, has_workflow = false;
    for (auto& worker : workers) {
        const bool queue = takes_queue(worker, count.queue), workflow = worker.workflows.contains(count.workflow);
        has_queue |= queue;
        has_workflow |= workflow;
        has_both |= queue && workflow;  // any declaration counts: the worker also takes runs of another declaration
    }
    if (has_both) return {};
    if (!has_queue) return "no worker takes the queue " + excerpt(count.queue, most_text);
    if (!has_workflow) return "no worker has the workflow " + excerpt(count.workflow, most_text);
    return "no worker of the queue " + excerpt(count.queue, most_text) + " has the workflow " +
           excerpt(count.workflow, most_text);
}
/// The reasons why all suitable workers have refused this run; empty if one has not.
std::string refusal_of(const RunRow& run, const std::vector<WorkerView>& workers) {
    std::string why;
    for (auto& worker : workers) {
        const auto own = std::ranges::find(worker.refused, run.id, &RefusedRun::run);
        if (own != worker.refused.end()) why = own->why;
        else if (takes_queue(worker, run.queue) && worker.workflows.contains(run.workflow)) return {};
    }
    return why;
}
std::string label(std::string_view text) {
    std::string escaped;
    for (const char c : repair_utf8(utf8_cut(text, most_text)))
        if (c == '\\' || c == '"') (escaped += '\\') += c;
        else if (c == '\n') escaped += "\\n";
        else escaped += c;
    return '"' + escaped + '"';
}
struct MetricText {
    std::string text;
    void head(const std::string& name, const std::string& help) {
        text += "# HELP " + name + ' ' + help + "\n# TYPE " + name + " gauge\n";
    }
    void add(const std::string& name, const std::string& labels, double value) {
        text += name + (labels.empty() ? "" : '{' + labels + '}') + ' ' + nlohmann::json(value).dump() + '\n';
    }
    /// For each row the value that `value_of` returns, if any.
    template <class Rows> void add_all(const std::string& name, const std::string& help, const Rows& rows,
                                       const auto& labels_of, const auto& value_of) {
        head(name, help);
        for (const auto& row : rows)
            if (const std::optional<double> value = value_of(row)) add(name, labels_of(row), *value);
    }
};
}

bool takes_queue(const WorkerInfo& worker, const std::string& queue) {
    return worker.queues.empty() || std::ranges::count(worker.queues, queue) > 0;
}
std::string write_worker_info(const WorkerInfo& info) { return to_json(info).dump(); }
std::optional<WorkerInfo> read_worker_info(const std::string& text) {
    try {
        return from_json<WorkerInfo>(parse_json(text), "worker");
    } catch (const Error&) { return std::nullopt; }
}
static awaitable<void> gather(Store& store, QueueView& view) {
    auto surveying = store_reply<Survey>([&](auto then) { store.survey(std::move(then)); });
    view = view_queues(co_await std::move(surveying));
    Filter refused{.ids = refused_runs(view), .statuses = {RunStatus::ready}};
    if (refused.ids.empty()) co_return;
    auto listing = store_reply<std::vector<RunRow>>([&](auto then) { store.list(std::move(refused), then); });
    add_refused(view, co_await std::move(listing));
}
QueueView view_queues(Store& store) {
    QueueView view;
    wait_for(gather(store, view));
    return view;
}
QueueView view_queues(const Survey& survey) {
    QueueView view;
    for (auto& row : survey.workers) {
        auto info = read_worker_info(row.info);
        if (!info) continue;
        WorkerView worker;
        static_cast<WorkerInfo&>(worker) = *std::move(info);
        worker.id = row.id;
        worker.lease_seconds = double(row.lease_until - survey.at) / 1e6;
        worker.age_seconds = double(survey.at - row.started_at) / 1e6;
        view.workers.push_back(std::move(worker));
    }
    for (auto& count : survey.runs) {
        if (view.queues.empty() || view.queues.back().queue != count.queue) {
            if (view.queues.size() == most_listed_queues) break;
            view.queues.emplace_back().queue = count.queue;
        }
        auto& queue = view.queues.back();
        queue.taken_over += count.taken_over;
        if (count.status == RunStatus::running) queue.running += count.runs;
        if (count.status == RunStatus::waiting) queue.waiting += count.runs;
        if (count.workflow == schedule_entry().name) {
            view.schedules += count.runs;
            if (count.status == RunStatus::waiting) view.paused_schedules += count.runs - count.sleeping;
        }
        queue.sleeping += count.sleeping;
        if (count.next_wake && *count.next_wake < survey.at)
            queue.overdue_seconds = std::max(queue.overdue_seconds.value_or(0),
                                             double(survey.at - *count.next_wake) / 1e6);
        if (count.status != RunStatus::ready) continue;
        queue.ready += count.runs;
        const auto age = double(survey.at - count.oldest) / 1e6;
        queue.oldest_ready_seconds = std::max(queue.oldest_ready_seconds.value_or(0), age);
        if (auto missing = missing_for(count, view.workers); !missing.empty())
            view.stuck.push_back({count.queue, count.workflow, count.hash, {}, count.runs, std::move(missing)});
    }
    for (auto& flow : survey.flows) {
        auto own = std::ranges::find(view.queues, flow.limits.queue, &QueueRow::queue);
        if (own == view.queues.end()) {
            view.queues.emplace_back().queue = flow.limits.queue;
            own = view.queues.end() - 1;
        }
        own->limits = flow.limits;
        own->held_back = flow.held_back;
        own->starts_left = flow.starts_left;
    }
    std::ranges::stable_sort(view.queues, {}, &QueueRow::queue);
    return view;
}
std::vector<std::string> refused_runs(const QueueView& view) {
    std::set<std::string> runs;
    for (auto& worker : view.workers)
        for (auto& refused : worker.refused)
            if (runs.size() < most_listed_refused) runs.insert(refused.run);
    return {runs.begin(), runs.end()};
}
void add_refused(QueueView& view, const std::vector<RunRow>& ready) {
    for (auto& run : ready)
        if (auto why = refusal_of(run, view.workers); !why.empty())
            view.stuck.push_back({run.queue, run.workflow, run.hash, run.id, 1, std::move(why)});
}
std::string queue_metrics(const QueueView& view) {
    MetricText metrics;
    metrics.head("weft_queue_runs", "Runs of the store that have not ended, by queue and status.");
    for (auto& queue : view.queues)
        for (const auto& [status, n] :
             {std::pair{"ready", queue.ready}, {"running", queue.running}, {"waiting", queue.waiting}})
            metrics.add("weft_queue_runs", "queue=" + label(queue.queue) + ",status=\"" + status + '"', double(n));
    const auto add = [&](const char* name, const char* help, const auto& value_of) {
        const auto labels_of = [](const QueueRow& queue) { return "queue=" + label(queue.queue); };
        metrics.add_all(name, help, view.queues, labels_of, value_of);
    };
    add("weft_queue_oldest_ready_seconds", "Time since the oldest ready run became ready, in seconds.",
        [](const QueueRow& queue) { return queue.oldest_ready_seconds.value_or(0); });
    add("weft_queue_taken_over", "Runs whose worker has died since they last finished a step.",
        [](const QueueRow& queue) { return double(queue.taken_over); });
    add("weft_queue_sleeping", "Waiting runs that continue at a time: a sleep, a first time or a deadline.",
        [](const QueueRow& queue) { return double(queue.sleeping); });
    add("weft_queue_overdue_seconds", "Time since the earliest of these times, if it is over, in seconds.",
        [](const QueueRow& queue) { return queue.overdue_seconds.value_or(0); });
    add("weft_queue_limit", "Runs of a limited queue that may run at once.", [](const QueueRow& queue) {
        return queue.limits && queue.limits->running ? std::optional<double>(*queue.limits->running) : std::nullopt;
    });
    add("weft_queue_held_back", "Ready runs that wait for a limit of their queue.",
        [](const QueueRow& queue) { return queue.limits ? std::optional(double(queue.held_back)) : std::nullopt; });
    add("weft_queue_starts_left", "Runs of a queue with a limit of starts that may begin now.",
        [](const QueueRow& queue) { return queue.starts_left; });
    metrics.head("weft_schedules", "Schedules of the store that have not ended.");
    metrics.add("weft_schedules", "state=\"active\"", double(view.schedules - view.paused_schedules));
    metrics.add("weft_schedules", "state=\"paused\"", double(view.paused_schedules));
    std::uint64_t stuck = 0, slots = 0, used = 0;
    for (auto& each : view.stuck) stuck += each.runs;
    for (auto& worker : view.workers) slots += worker.slots, used += worker.used;
    for (const auto& [name, help, value] :
         {std::tuple{"weft_queue_stuck", "Ready runs that no worker can take.", double(stuck)},
          {"weft_workers", "Workers with a lease.", double(view.workers.size())},
          {"weft_workers_slots", "Runs that these workers can execute at once.", double(slots)},
          {"weft_workers_slots_used", "Slots of these workers that have a run.", double(used)}}) {
        metrics.head(name, help);
        metrics.add(name, {}, value);
    }
    return std::move(metrics.text);
}
std::string model_metrics(const std::vector<ModelFlow>& models) {
    MetricText metrics;
    const auto add = [&](const char* name, const char* help, auto requests, auto tokens) {
        metrics.head(name, help);
        for (const auto& model : models) {
            const auto labels = "model=" + label(model.model) + ",kind=";
            if (const auto& count = model.*requests) metrics.add(name, labels + "\"requests\"", double(*count));
            if (const auto& count = model.*tokens) metrics.add(name, labels + "\"tokens\"", double(*count));
        }
    };
    add("weft_model_limit", "Requests and tokens that all processes of the store may take of a model in a minute.",
        &ModelFlow::requests, &ModelFlow::tokens);
    add("weft_model_limit_left", "Requests and tokens that may be taken now: at most one second of the limit.",
        &ModelFlow::requests_left, &ModelFlow::tokens_left);
    metrics.add_all(
        "weft_model_limit_waiting", "Keys with calls that wait for a limit of the model, counted in each process.",
        models, [](const ModelFlow& model) { return "model=" + label(model.model); },
        [](const ModelFlow& model) { return double(model.waiting); });
    return std::move(metrics.text);
}
static awaitable<std::string> gather_metrics(Store& store) {
    QueueView view;
    auto gathering = gather(store, view);
    co_await std::move(gathering);
    auto asking = store_reply<std::vector<ModelFlow>>([&](auto then) { store.model_limits(std::move(then)); });
    co_return queue_metrics(view) + model_metrics(co_await std::move(asking));
}
awaitable<std::string> store_metrics(Store& store) {
    auto gathering = with_timeout(longest_gathering, gather_metrics(store));
    try {
        co_return co_await std::move(gathering);
    } catch (const Error&) {}
    co_return std::string();
}
}
