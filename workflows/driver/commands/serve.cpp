// `weft serve`: the catalogue on the network, and a worker for the other runs of its store. Reports wrong options
// before it listens; then prints its address in one line.
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "engine/telemetry/metrics.hpp"
#include "engine/telemetry/observers.hpp"
#include "engine/telemetry/store_watch.hpp"
#include "engine/telemetry/tracer.hpp"
#include "engine/text/text.hpp"
#include "steps/models/settings.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/listen_options.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/deadline.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include "workflows/server/catalog_workflows.hpp"
#include "workflows/server/server.hpp"
#include "workflows/worker/catalog_offers.hpp"
#include "workflows/worker/schedule_watch.hpp"
#include <algorithm>
#include <boost/asio/detached.hpp>
#include <nlohmann/json.hpp>
#include <thread>

namespace weft::driver {
namespace {
using namespace std::chrono_literals;
constexpr std::chrono::milliseconds time_for_steps = 2s;  // within time_to_exit
telemetry::TracerOptions tracer_options() {
    std::vector<std::string> warnings;
    const auto settings = models::Settings::of_process();
    auto options = telemetry::otel_settings([&](const std::string& name) { return settings.get(name); }, warnings);
    for (const auto& warning : warnings) note(warning);
    const auto is_version = [](const auto& attribute) { return attribute.first == "service.version"; };
    if (std::ranges::none_of(options.resource, is_version))
        options.resource.emplace_back("service.version", WEFT_VERSION);
    for (const auto& entry : catalog::entries())
        if (entry.has_tools) options.agents.emplace_back(entry.name);
    options.warn = [](const std::string& sentence) { note(sentence); };
    return options;
}
server::ServerOptions server_options(const Choices& choices, Store* store) {
    const auto& serve = choices.serve;
    server::ServerOptions options{.host = serve.host,
                                  .port = std::uint16_t(serve.port),
                                  .certificate = serve.certificate,
                                  .key = serve.key,
                                  .guard = {.hosts = serve.hosts, .origins = serve.origins, .tokens = {}},
                                  .without_token = serve.no_auth,
                                  .store = store};
    options.guard.tokens = read_tokens(serve.token_file);
    check_listening(serve, "--host", options.host, options.guard);
    options.runs.at_once = options.runs.at_once_of_caller = std::size_t(serve.max_runs);
    options.runs.open_bytes = std::size_t(serve.max_mib) << 20;
    if (choices.agent.timeout) options.runs.timeout = *choices.agent.timeout;
    options.values = catalog::values_of(choices.agent);
    options.accept_values = serve.accept_values;
    options.requests_per_second = std::size_t(serve.max_requests);
    options.debugger = serve.debugger;
    options.note = [](std::string_view sentence) { note(sentence); };
    return options;
}
void add_gauges(telemetry::Metrics& metrics, server::Server& server) {
    auto& http = server.http();
    metrics.gauge("weft_http_connections", "Open connections.", [&] { return double(http.connections()); });
    metrics.total("weft_http_connections_refused_total", "Connections refused beyond the limit.",
                  [&] { return double(http.turned_away()); });
    metrics.gauge("weft_served_runs", "Unfinished runs of clients, also runs that wait for an answer.",
                  [&] { return double(server.runs().running()); });
}
using ResumeRun = decltype(worker::WorkflowOffer::resume);
awaitable<std::shared_ptr<void>> resume_on_loop(const ResumeRun& resume, const storage::RunRow& row,
                                                const RunOptions& options) {
    co_return resume(row, options);
}
/// The thread of the worker. Destroy it before the server.
class WorkerThread {
public:
    /// The loop of the server makes the resources of all runs, because one thread at a time may make them.
    WorkerThread(worker::Worker& worker, const catalog::ProcessResources& process,
                 const std::vector<std::string>& workflows)
        : worker_(worker), engine_(process.engine()) {
        auto offers = worker::catalog_offers(process, workflows);
        for (auto& offer : offers)
            offer.resume = [&engine = engine_, resume = std::move(offer.resume)](const auto& row, const auto& options) {
                auto resuming = resume_on_loop(resume, row, options);
                return engine.wait(std::move(resuming));
            };
        worker_.offer(std::move(offers));
        thread_ = std::thread([this, store = process.store()] { worker_.work(engine_, *store); });
    }
    WorkerThread(const WorkerThread&) = delete;
    ~WorkerThread() {
        worker_.stop();
        thread_.join();
        engine_.leave_all(time_for_steps);
        worker_.finish();
    }

private:
    worker::Worker& worker_;
    Engine& engine_;
    std::thread thread_;
};
ExitCode serve(const Choices& choices) {
    refuse_options_of_one_run(choices.agent);
    Interrupts interrupts;
    raise_descriptor_limit();
    ExitDeadline deadline(time_to_exit,
                          "the call of a tool, or other work in progress, does not end: the program ends without it");
    telemetry::Metrics metrics;
    telemetry::Tracer tracer(tracer_options());
    telemetry::Observers observers({&metrics, &tracer});
    auto agent = keeping_options(choices, "serve");
    agent.timeout.reset();  // the server applies it to each run
    catalog::ProcessOptions observed{.while_starting = ending_if_seen(interrupts), .observer = &observers};
    const server::ServedRuns* served_runs = nullptr;  // set before the worker claims a run
    std::optional<worker::Worker> worker;
    if (agent.store_file.empty()) {
        if (std::ranges::count(choices.given, std::string_view("--slots"), &Option::name) > 0)
            throw Error(Code::usage, "--slots is for the runs of a store: name one by --store, or leave it out");
    } else {
        observed.store_notes = telemetry::watch_store(metrics, [](const StoreNote& said) { note(said.text); });
        if (choices.worker.slots > 0) {
            worker::WorkerOptions own;
            own.slots = std::size_t(choices.worker.slots);
            own.note = [](std::string_view sentence) { note(sentence); };
            own.leaves = [&served_runs](const storage::RunRow& row) { return served_runs->executes(row.id); };
            worker.emplace(std::move(own));
            observed.tells = [&worker] { return worker->tell(); };
            observed.on_firing = worker::watch_schedules(metrics);
        }
    }
    const catalog::ProcessResources process(std::move(agent), note, std::move(observed));
    server::CatalogWorkflows catalogue(process);
    const auto workflows = split_names(choices.serve.workflows);
    auto offered = catalogue.offer(workflows);
    if (std::ranges::any_of(offered, [](const auto& each) { return catalog::find_workflow(each.name).has_model; }))
        catalog::RunResources(process).prepare_agent(true);
    auto& engine = process.engine();
    auto options = server_options(choices, process.store());
    options.metrics = [&metrics] { return metrics.text(); };
    server::Server server(engine, std::move(offered), std::move(options));
    served_runs = &server.runs();
    server.listen();
    std::optional<WorkerThread> working;
    if (worker) working.emplace(*worker, process, workflows);
    add_gauges(metrics, server);
    tracer.start(engine.first_runtime());
    auto lag = metrics.measure_loop_lag();
    spawn(engine.first_runtime(), std::move(lag), asio::detached);
    if (choices.serve.no_auth && choices.serve.token_file.empty() && choices.serve.host != "127.0.0.1")
        note("EVERY client that reaches " + choices.serve.host + " can run everything here, because of --no-auth");
    if (const auto login = server.login_url(); !login.empty()) note("open " + login + " to log in a browser, once");
    say_trusted("serving on " + server.url() + "\n");
    const Interrupts::InterruptWatch watch(interrupts, [&server, &worker, &deadline] {
        deadline.begin();
        if (worker) worker->stop();
        server.stop();
    });
    server.run();
    working.reset();
    auto flushing = tracer.flush(1s);
    engine.wait(std::move(flushing));
    return ExitCode::ok;
}
constexpr auto serve_examples =
    R"(The page is at the printed address. Clients of LlamaIndex's workflow server can use it, its debugger too,
and clients of OpenAI's API, with the base URL .../v1 and a model for each workflow.
/openapi.json describes the API, /metrics has metrics. SIGTERM and Ctrl-C stop it: with --store, runs continue later.
With --store it also executes schedules and detached runs, as `weft worker` does; with --slots 0 it leaves them alone.

  weft serve
  weft serve --port 9000 --store weft.db --workflows react,refund
  weft serve --host 0.0.0.0 --allow-host weft.example --token-file tokens.txt --cert weft.pem --key weft.key
  curl -d '{"start_event": {"text": "World"}}' -H 'Content-Type: application/json' \
       http://127.0.0.1:8080/workflows/hello/run
)";
}

DriverCommand serve_command() {
    using enum OptionGroup;
    return {"serve",
            "serve the workflows over HTTP, with a page",
            {serving, keeping, model, calling, spending, database, prompt, approving, writing, tool_options,
             tool_servers, system, memory, dialect, dialect_parts, schema, timeout, values},
            serve,
            serve_examples};
}
}
