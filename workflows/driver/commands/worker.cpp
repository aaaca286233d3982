// `weft worker`: executes the runs in a store. At the first SIGTERM it gives its runs back and ends; the second one
// ends the process immediately (interrupts.hpp).
#include "engine/engine.hpp"
#include "engine/spawn.hpp"
#include "engine/telemetry/metrics.hpp"
#include "engine/telemetry/store_watch.hpp"
#include "engine/text/text.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/stored/queue_view.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/listen_options.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/deadline.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include "workflows/worker/catalog_offers.hpp"
#include "workflows/worker/metrics_file.hpp"
#include "workflows/worker/schedule_watch.hpp"
#include <algorithm>
#include <future>

namespace weft::driver {
namespace {
using namespace std::chrono_literals;
constexpr std::chrono::milliseconds time_to_leave = 7s, time_to_end = 9500ms;  // within ten seconds

/// Metrics of this worker, and of all queues of its store.
class WorkerMetrics {
public:
    explicit WorkerMetrics(const std::string& file) {
        if (!file.empty()) file_.emplace(file);
    }
    telemetry::Metrics& metrics() { return metrics_; }
    /// Called by one thread again and again. A store that is away delays nothing, and its metrics are missing.
    void write_if_due(const Runtime& on, Store& store) {
        if (!file_ || !file_->is_due()) return;
        if (!gathered_.valid()) {
            const auto answer = std::make_shared<std::promise<std::string>>();
            gathered_ = answer->get_future();
            spawn(on, gather(store, answer), [](const std::exception_ptr&) {});
        }
        if (gathered_.wait_for(0s) != std::future_status::ready) return;
        try {
            file_->write(metrics_.text() + gathered_.get());
            complaint_.clear();
        } catch (const Error& error) {
            if (complaint_ != error.what()) note(complaint_ = error.what());
        }
    }

private:
    static awaitable<void> gather(Store& store, std::shared_ptr<std::promise<std::string>> answer) {
        auto gathering = catalog::store_metrics(store);
        answer->set_value(co_await std::move(gathering));
    }
    telemetry::Metrics metrics_;
    std::optional<worker::MetricsFile> file_;
    std::future<std::string> gathered_;  // metrics of the store
    std::string complaint_;
};
/// The names in a list; an empty list means all. Refuses a list of separators only, as unset variables may leave.
std::vector<std::string> names_of(const std::string& option, const std::string& list) {
    auto names = split_names(list);
    if (!list.empty() && names.empty())
        throw Error(Code::usage, option + " has no names: write names with commas, or leave it out for all");
    return names;
}
ExitCode work(const Choices& choices) {
    const auto& working = choices.worker;
    refuse_options_of_one_run(choices.agent);
    (void)store_name(choices);  // throws if no store is given
    Interrupts interrupts;
    raise_descriptor_limit();
    WorkerMetrics metrics(working.metrics_file);
    Store* store = nullptr;
    const Runtime* runtime = nullptr;
    worker::WorkerOptions options;
    options.slots = std::size_t(working.slots);
    options.queues = names_of("--queues", working.queues);
    options.note = [](std::string_view sentence) { note(sentence); };
    options.each_round = [&metrics, &store, &runtime] { metrics.write_if_due(*runtime, *store); };
    worker::Worker worker(std::move(options));
    // Also covers the end of the engine and of its store.
    ExitDeadline deadline(
        time_to_end, "the store does not answer, or a tool does not return: other workers take the remaining runs once "
                     "the lease is over");
    auto agent = keeping_options(choices, "worker");
    catalog::ProcessOptions leased{
        .while_starting = ending_if_seen(interrupts),
        .observer = &metrics.metrics(),
        .store_notes = telemetry::watch_store(metrics.metrics(), [](const StoreNote& said) { note(said.text); }),
        .lease = working.lease,
        .tells = [&worker] { return worker.tell(); },
        .on_firing = worker::watch_schedules(metrics.metrics())};
    const catalog::ProcessResources process(std::move(agent), note, std::move(leased));
    const auto names = names_of("--workflows", working.workflows);
    worker.offer(worker::catalog_offers(process, names));
    const auto has_model = [](const auto& workflow) { return catalog::find_workflow(workflow, true).has_model; };
    if (names.empty() || std::ranges::any_of(names, has_model)) catalog::RunResources(process).prepare_agent(true);
    auto& engine = process.engine();
    store = process.store();
    runtime = &engine.first_runtime();
    const Interrupts::InterruptWatch watch(interrupts, [&worker, &deadline] {
        deadline.begin();
        worker.stop();
    });
    // Does not show the store, whose address may contain a password.
    say("working as " + worker.info().process + ", with " + std::to_string(working.slots) + " slots");
    worker.work(engine, *store);
    engine.leave_all(time_to_leave);
    worker.finish();
    return ExitCode::ok;
}
constexpr auto worker_examples =
    R"(A worker takes runs that `weft run --detach` has put into the store, and those of dead workers. Model, database,
tools and keys are its own; only harmless options of a run count, such as dialect, limits and budget. At
SIGTERM and Ctrl-C it takes no more runs, lets running steps finish, gives all runs back, and ends within 10 seconds. A
file has one worker at a time.

  weft worker --store postgres://weft@db.example/weft
  weft worker --store weft.db --slots 20 --queues urgent,default --workflows react,refund
  weft worker --store weft.db --metrics /var/lib/node_exporter/weft.prom
)";
}

DriverCommand worker_command() {
    using enum OptionGroup;
    return {"worker",
            "execute the runs that wait in a store",
            {working, store, model, calling, spending, database, prompt, approving, writing, tool_options, tool_servers,
             system},
            work,
            worker_examples};
}
}
