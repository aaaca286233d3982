// The operators' view of queues, runs that a worker of the catalogue may continue, and metrics in a file.
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "engine/json_run.hpp"
#include "engine/schedule/schedules.hpp"
#include "engine/storage/answer.hpp"
#include "engine/telemetry/metrics.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/stored/queue_view.hpp"
#include "workflows/worker/catalog_offers.hpp"
#include "workflows/worker/metrics_file.hpp"
#include "workflows/worker/schedule_watch.hpp"
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
using namespace weft;
using namespace weft::storage;
using catalog::AgentOptions, catalog::StoredRunOptions;

namespace {
constexpr std::int64_t now = 1'000'000'000;
RunCount count(const std::string& queue, const std::string& workflow, RunStatus status, std::uint64_t runs) {
    return {queue, workflow, "h1", status, runs, 1, now - 90'000'000};
}
WorkerRow worker_of(const std::vector<std::string>& queues, const std::map<std::string, std::string>& workflows) {
    catalog::WorkerInfo info;
    info.process = "host:1";
    info.slots = 4;
    info.used = 3;
    info.queues = queues;
    info.workflows = workflows;
    return {"w", write_worker_info(info), now - 5'000'000, now + 8'000'000};
}
Survey survey_of(std::vector<RunCount> runs, std::vector<WorkerRow> workers) {
    return {now, std::move(runs), std::move(workers)};
}
struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / "weft_queue_XXXXXX").string();
    Folder() { REQUIRE(::mkdtemp(path.data())); }
    Folder(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const std::string& name) const { return path + "/" + name; }
};
std::string missing(const Survey& survey, const std::vector<RunRow>& ready = {}) {
    std::string all;
    auto view = catalog::view_queues(survey);
    catalog::add_refused(view, ready);
    for (auto& stuck : view.stuck) all += stuck.missing + '\n';
    return all;
}
}
TEST_CASE("queues are counted by status, with the age of the oldest unclaimed run") {
    const auto view = catalog::view_queues(
        survey_of({count("fast", "hello", RunStatus::running, 2), count("slow", "hello", RunStatus::ready, 3),
                   count("slow", "react", RunStatus::waiting, 4)},
                  {worker_of({}, {{"hello", "h1"}, {"react", "h9"}})}));
    REQUIRE(view.queues.size() == 2);
    CHECK(view.queues[0].queue == "fast");
    CHECK(view.queues[0].running == 2);
    CHECK_FALSE(view.queues[0].oldest_ready_seconds);
    CHECK(view.queues[1].ready == 3);
    CHECK(view.queues[1].waiting == 4);
    CHECK(view.queues[1].taken_over == 2);
    CHECK(view.queues[1].oldest_ready_seconds == 90.0);
    REQUIRE(view.workers.size() == 1);
    CHECK(view.workers[0].lease_seconds == 8.0);
    CHECK(view.workers[0].age_seconds == 5.0);
    CHECK(view.stuck.empty());
}
TEST_CASE("ready runs without a suitable worker are listed with what is missing") {
    const auto runs = std::vector{count("slow", "hello", RunStatus::ready, 3)};
    CHECK(missing(survey_of(runs, {})) == "there is no worker\n");
    CHECK(missing(survey_of(runs, {worker_of({"fast"}, {{"hello", "h1"}})})) == "no worker takes the queue slow\n");
    CHECK(missing(survey_of(runs, {worker_of({}, {{"react", "h1"}})})) == "no worker has the workflow hello\n");
    CHECK(missing(survey_of(runs, {worker_of({"slow"}, {{"react", "h1"}}), worker_of({"fast"}, {{"hello", "h1"}})})) ==
          "no worker of the queue slow has the workflow hello\n");
    CHECK(missing(survey_of(runs, {worker_of({"slow"}, {{"hello", "another"}})})).empty());  // carried over
    CHECK(missing(survey_of({count("slow", "hello", RunStatus::waiting, 3)}, {})).empty());
    CHECK(catalog::view_queues(survey_of({}, {{"w", "no JSON", 0, now + 1}})).workers.empty());
}
TEST_CASE("a run refused by workers is listed once, as long as it is ready and no other worker can have it") {
    auto refusing = worker_of({}, {{"hello", "h1"}});
    auto info = *catalog::read_worker_info(refusing.info);
    info.refused.push_back({"r1", "hello", "it was begun with --db"});
    refusing.info = write_worker_info(info);
    RunRow run;
    run.id = "r1", run.workflow = "hello", run.queue = "slow";
    CHECK(catalog::refused_runs(catalog::view_queues(survey_of({}, {refusing, refusing}))) ==
          std::vector<std::string>{"r1"});
    CHECK(missing(survey_of({}, {refusing, refusing}), {run}) == "it was begun with --db\n");
    CHECK(missing(survey_of({}, {refusing}), {}).empty());
    CHECK(missing(survey_of({}, {refusing, worker_of({"slow"}, {{"hello", "h1"}})}), {run}).empty());
    const auto other = worker_of({"fast"}, {{"hello", "h1"}});
    CHECK(missing(survey_of({}, {refusing, other}), {run}) == "it was begun with --db\n");
}
TEST_CASE("metrics of queues have the queue as a label, whatever it is called") {
    const auto text = catalog::queue_metrics(catalog::view_queues(
        survey_of({count("a\"b\\c\nd", "hello", RunStatus::ready, 3)}, {worker_of({}, {{"hello", "h1"}})})));
    CHECK(text.find("weft_queue_runs{queue=\"a\\\"b\\\\c\\nd\",status=\"ready\"} 3.0\n") != std::string::npos);
    CHECK(text.find("# TYPE weft_workers gauge\nweft_workers 1.0\n") != std::string::npos);
    CHECK(text.find("weft_workers_slots 4.0\n") != std::string::npos);
    CHECK(text.find("weft_workers_slots_used 3.0\n") != std::string::npos);
    CHECK(text.find("weft_queue_stuck 0.0\n") != std::string::npos);
}
TEST_CASE("a limited queue is listed with its limits and the runs that they hold back, also without runs") {
    auto survey = survey_of({count("mail", "hello", RunStatus::ready, 3)}, {worker_of({}, {{"hello", "h1"}})});
    survey.flows.push_back({.limits = {.queue = "idle", .running = 0}});
    survey.flows.push_back({.limits = {.queue = "mail", .running = 5, .per = "value.tenant"}, .held_back = 2});

    const auto view = catalog::view_queues(survey);

    REQUIRE(view.queues.size() == 2);
    CHECK(view.queues[0].queue == "idle");
    CHECK(view.queues[0].ready == 0);
    CHECK(view.queues[1].limits->per == "value.tenant");
    CHECK(view.queues[1].held_back == 2);
    const auto text = catalog::queue_metrics(view);
    CHECK(text.find("weft_queue_limit{queue=\"mail\"} 5.0\n") != std::string::npos);
    CHECK(text.find("weft_queue_held_back{queue=\"mail\"} 2.0\n") != std::string::npos);
}
TEST_CASE("metrics count sleeping runs with their lateness, schedules, and the starts that a rate leaves") {
    auto sleeping = count("mail", "hello", RunStatus::waiting, 3), schedules = sleeping;
    sleeping.sleeping = 2;
    sleeping.next_wake = now - 4'000'000;
    schedules.workflow = "schedule";
    schedules.runs = 5;
    schedules.sleeping = 4;
    schedules.next_wake = now + 1;
    auto survey = survey_of({sleeping, schedules, count("slow", "schedule", RunStatus::ready, 1)}, {});
    survey.flows.push_back({.limits = {.queue = "mail", .starts = 60}, .starts_left = 0.5});

    const auto view = catalog::view_queues(survey);

    CHECK(view.queues[0].sleeping == 6);
    CHECK(view.queues[0].overdue_seconds == 4.0);
    CHECK_FALSE(view.queues[1].overdue_seconds);
    const auto text = catalog::queue_metrics(view);
    for (const std::string line :
         {"weft_queue_sleeping{queue=\"mail\"} 6.0\n", "weft_queue_overdue_seconds{queue=\"mail\"} 4.0\n",
          "weft_queue_overdue_seconds{queue=\"slow\"} 0.0\n", "weft_queue_starts_left{queue=\"mail\"} 0.5\n",
          "weft_schedules{state=\"active\"} 5.0\n", "weft_schedules{state=\"paused\"} 1.0\n"})
        CHECK_MESSAGE(text.find(line) != std::string::npos, line << text);
}
TEST_CASE("metrics tell the limits of models, what is left of them, and what waits, with escaped names") {
    ModelFlow flow;
    flow.model = "openai:a\"b";
    flow.requests = 60;
    flow.requests_left = -2;
    flow.waiting = 3;
    const auto text = catalog::model_metrics({flow});
    for (const std::string line : {"weft_model_limit{model=\"openai:a\\\"b\",kind=\"requests\"} 60.0\n",
                                   "weft_model_limit_left{model=\"openai:a\\\"b\",kind=\"requests\"} -2.0\n",
                                   "weft_model_limit_waiting{model=\"openai:a\\\"b\"} 3.0\n"})
        CHECK_MESSAGE(text.find(line) != std::string::npos, line << text);
    CHECK(text.find("tokens\"") == std::string::npos);
}
TEST_CASE("a worker counts the times of schedules by their outcomes, and measures how late runs start") {
    telemetry::Metrics metrics;
    const auto fired = worker::watch_schedules(metrics);
    schedule::ScheduleEvent report;
    report.name = "report";
    schedule::Firing missed, started;
    missed.kind = schedule::FiringKind::missed;
    missed.times = 7;
    fired(report, missed, std::chrono::hours(1));
    fired(report, started, std::chrono::seconds(2));
    const auto text = metrics.text();
    for (const std::string line :
         {"weft_schedule_times_total{schedule=\"report\",outcome=\"missed\"} 7\n",
          "weft_schedule_times_total{schedule=\"report\",outcome=\"started\"} 1\n",
          "weft_schedule_lateness_seconds_sum 2\n", "weft_schedule_lateness_seconds_count 1\n"})
        CHECK_MESSAGE(text.find(line) != std::string::npos, line << text);
}
TEST_CASE("a worker uses a stored run's dialect, limits and budget, and each limit at most up to its own") {
    AgentOptions mine;
    mine.model = "openai:gpt-4o";
    mine.database = "/data/shop.db";
    mine.max_steps = 10;
    mine.budget.tokens = 1000;
    StoredRunOptions kept;
    kept.options.dialect = "pause";
    kept.options.model = "anthropic:claude";
    kept.options.base_url = "http://elsewhere.example";
    kept.options.max_steps = 30;
    kept.options.context_tokens = 500;
    kept.options.budget.tokens = 5000;
    kept.options.budget.requests = 7;
    kept.options.allow = "sql_db_query";
    kept.options.permission = tools::PermissionMode::yes;

    const auto options = worker::options_for(mine, kept);

    CHECK(options.dialect == "pause");
    CHECK(options.model == "openai:gpt-4o");
    CHECK(options.base_url.empty());
    CHECK(options.database == "/data/shop.db");
    CHECK(options.max_steps == 10);
    CHECK(options.context_tokens == 500);
    CHECK(options.budget.tokens == 1000);
    CHECK(options.budget.requests == 7);
    CHECK(options.allow.empty());
    CHECK(options.permission == tools::PermissionMode::ask);
}
TEST_CASE("a run begun with options of its own is refused, by the name of the option") {
    const std::pair<const char*, void (*)(AgentOptions&)> own[] = {
        {"--db,", [](auto& o) { o.database = "/etc/x.db"; }},
        {"--db-write", [](auto& o) { o.writes_database = true; }},
        {"--tools", [](auto& o) { o.tools = "add"; }},
        {"--approve", [](auto& o) { o.approve = "add"; }},
        {"--deny", [](auto& o) { o.deny = "add"; }},
        {"--permission never", [](auto& o) { o.permission = tools::PermissionMode::never; }},
        {"--system", [](auto& o) { o.system = "@/etc/passwd"; }},
        {"--template", [](auto& o) { o.template_file = "/etc/passwd"; }},
        {"--memory", [](auto& o) { o.memory_file = "/etc/passwd"; }},
        {"--schema", [](auto& o) { o.schema_file = "/etc/passwd"; }},
        {"--web", [](auto& o) { o.web_hosts = "x.example"; }},
        {"--mcp", [](auto& o) { o.mcp = {"files"}; }},
    };
    for (auto& [option, set] : own) {
        StoredRunOptions kept;
        set(kept.options);
        CHECK_THROWS_WITH_AS(worker::options_for({}, kept),
                             doctest::Contains(("began with " + std::string(option)).c_str()), Error);
    }
    StoredRunOptions served;
    served.handler = "h";
    CHECK_THROWS_WITH_AS(worker::options_for({}, served), doctest::Contains("continue it by `weft serve`"), Error);
}
TEST_CASE("a worker has the declarations of the catalogue's stored runs") {
    const Folder folder;
    AgentOptions options;
    options.store_file = folder.file("weft.db");
    options.model = "script:" + folder.file("any.json");
    std::ofstream(folder.file("any.json")) << R"({"replies": [{"reply": "Answer: 42"}]})";
    const catalog::ProcessResources process(options, [](std::string_view) {});
    catalog::RunResources here(process);
    CHECK(worker::catalog_offers(process, {}).size() == catalog::entries().size() + 1);
    CHECK_THROWS_AS(worker::catalog_offers(process, {"nobody"}), Error);
    for (auto& offer : worker::catalog_offers(process, {})) {
        CAPTURE(offer.workflow);
        if (offer.workflow == catalog::schedule_entry().name) {
            CHECK(offer.hash == schedule::stored_form()->durable->hash);
            continue;
        }
        const nlohmann::json input = {{"text", "order"}, {"order", "A"}, {"amount", 200}};
        auto run = catalog::find_workflow(offer.workflow).run(here, input, {.id = offer.workflow});
        run.leave();
        CHECK_THROWS_AS(process.engine().wait(run.result()), RunError);
        const auto rows = answer_of<std::vector<RunRow>>(
            [&](auto then) { process.store()->list({.ids = {offer.workflow}}, std::move(then)); });
        CHECK(rows.at(0).hash == offer.hash);
    }
}
TEST_CASE("a metrics file has the old text or the new one, and a failed write makes a warning") {
    const Folder folder;
    const auto name = folder.file("weft.prom");
    worker::MetricsFile file(name);
    CHECK(file.is_due());
    file.write("a 1\n");
    CHECK_FALSE(file.is_due());
    file.write("b 2\n");
    std::ostringstream text;
    text << std::ifstream(name).rdbuf();
    CHECK(text.str() == "b 2\n");
    CHECK_FALSE(std::filesystem::exists(name + ".tmp"));
    std::filesystem::remove_all(folder.path);
    CHECK_THROWS_WITH_AS(file.write("c 3\n"), doctest::Contains("the metrics cannot be written to"), Error);
    for (const auto& wrong : {name, std::string("/dev/null")})
        CHECK_THROWS_WITH_AS(worker::MetricsFile{wrong}, doctest::Contains("the metrics cannot be written to"), Error);
}
