// The routes of the schedules, queues, limits and metrics of a store.
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "tests/support/served_workflows.hpp"
using namespace weft;
using nlohmann::json;
using testing::ServedWorkflows;

namespace {
constexpr auto daily = R"({"workflow": "hello", "timetable": {"cron": "0 9 * * *"}, "input": {"text": "World"}})";
}

TEST_CASE("a schedule is added, listed, paused, resumed and removed over HTTP") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    const auto added = world.post("/schedules/report", daily);
    CHECK_MESSAGE(added.status() == 200, added.text);
    CHECK(added.json()["state"] == "active");
    CHECK(added.json()["timetable"]["zone"] == "UTC");
    CHECK(added.json()["next"].size() == 5);
    CHECK(added.json()["overlap"] == "skip");

    const auto listed = world.get("/schedules").json()["schedules"];
    REQUIRE(listed.size() == 1);
    CHECK(listed[0] == world.get("/schedules/report").json());
    CHECK(world.post("/schedules/report/pause", "").json()["state"] == "paused");
    CHECK(world.post("/schedules/report/resume", "").json()["state"] == "active");
    const auto run = world.post("/schedules/report/run", "").json()["run"].get<std::string>();
    store.list({.ids = {run}}, [](const std::exception_ptr&, const std::vector<storage::RunRow>& rows) {
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].workflow == "hello");
    });

    CHECK(world.post("/schedules/report", daily).status() == 400);
    CHECK(world.post("/schedules/report/remove", "").json()["status"] == "removed");
    CHECK(world.post("/schedules/report/pause", "").status() == 409);
    CHECK(world.post("/schedules/report", daily).status() == 200);
}
TEST_CASE("an interval begins at its adding, and all missed times wait for the run before, when nothing else is said") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    const auto added = world.post("/schedules/poll", R"({"workflow": "hello", "timetable": {"every": 300},
        "input": {"text": "World"}, "missed": "all", "window": 3600, "timeout_ms": 1500})");
    CHECK_MESSAGE(added.status() == 200, added.text);
    CHECK(added.json()["overlap"] == "wait");
    CHECK(added.json()["window"] == 3600);
    CHECK(added.json()["timeout_ms"] == 1500);
    CHECK(added.json()["means"] == "every 5 minutes from 2026-01-01T00:00:00Z on");
}
TEST_CASE("a schedule that is none is refused with a sentence, and a server without a store has no schedules") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    const auto with = [](const char* member, json value) {
        auto body = json::parse(daily);
        body[member] = std::move(value);
        return body.dump();
    };
    for (const auto& wrong : {std::pair(with("workflw", "hello"), "workflw"),
                              {with("workflow", "hallo"), "hallo"},
                              {with("workflow", 3), "workflow"},
                              {with("input", json{{"txt", "World"}}), "txt"},
                              {with("timetable", json{{"cron", "61 * * * *"}}), "61"},
                              {with("timetable", json{{"cron", "* * * * *"}, {"zone", "Mars/Olympus"}}), "Mars"},
                              {with("timetable", json{{"every", 0}}), "1 second"},
                              {with("timetable", json{{"at", "1999-01-01T00:00:00Z"}}), "no time left"},
                              {with("timetable", "0 9 * * *"), "has to be {"},
                              {with("overlap", "both"), "overlap"},
                              {with("missed", "all"), "window"},
                              {std::string(R"({"workflow": "hello"})"), "schedule.timetable: missing"}}) {
        const auto answer = world.post("/schedules/report", wrong.first);
        CHECK_MESSAGE(answer.status() == 400, wrong.first << answer.text);
        CHECK_MESSAGE(answer.has(wrong.second), answer.text);
    }
    CHECK(world.post("/schedules/a%20b", daily).status() == 400);
    CHECK(world.get("/schedules").json()["schedules"].empty());
    for (const char* path : {"/schedules/none/pause", "/schedules/none/run", "/schedules/none/remove"})
        CHECK(world.post(path, "").status() == 404);
    CHECK(world.get("/schedules/none").status() == 404);
    ServedWorkflows without;
    CHECK(without.get("/schedules").status() == 404);
    CHECK(without.post("/schedules/report", daily).status() == 404);
}
TEST_CASE("limits of a queue are set, listed and removed over HTTP") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    world.begin_refund();

    const auto set = world.post("/queues/mail", R"({"running": 2, "per": "value.tenant", "starts": 100})");
    CHECK(set.status() == 200);
    CHECK(set.json()["running"] == 2);
    const auto listed = world.get("/queues").json()["queues"];
    REQUIRE(listed.size() == 2);
    CHECK(listed[0]["queue"] == "default");
    CHECK(listed[0]["running"].get<int>() + listed[0]["waiting"].get<int>() == 1);
    CHECK(listed[0]["limits"].is_null());
    CHECK(listed[1]["queue"] == "mail");
    CHECK(listed[1]["held_back"] == 0);
    CHECK(listed[1]["limits"]["per"] == "value.tenant");
    CHECK(listed[1]["limits"]["starts"] == 100);
    CHECK(listed[1]["limits"]["seconds"] == 60);

    CHECK(world.post("/queues/mail", "{}").status() == 200);
    CHECK(world.get("/queues").json()["queues"].size() == 1);
}
TEST_CASE("limits that are none are refused with a sentence, and a server without a store has no queues") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    for (auto [body, part] : {std::pair(R"({"runing": 2})", "runing"),
                              {R"({"running": -1})", "running"},
                              {R"({"running": "2"})", "running"},
                              {R"({"running_per_key": 2})", "needs the name of the key"},
                              {R"({"per": "tenant"})", "value.tenant"},
                              {R"({"starts": 1, "seconds": 7})", "a second, a minute or an hour"}}) {
        const auto answer = world.post("/queues/mail", body);
        CHECK(answer.status() == 400);
        CHECK(answer.has(part));
    }
    CHECK(world.get("/queues").json()["queues"].empty());
    ServedWorkflows without;
    CHECK(without.get("/queues").status() == 404);
    CHECK(without.post("/queues/mail", "{}").status() == 404);
}
TEST_CASE("limits of a model are set, listed with what is left, and removed over HTTP") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    CHECK(world.get("/model-limits").json()["model_limits"].empty());

    const auto set = world.post("/model-limits/openai:gpt-4o", R"({"requests": 600, "per": "value.tenant"})");
    CHECK_MESSAGE(set.status() == 200, set.text);
    CHECK(set.json()["model"] == "openai:gpt-4o");
    CHECK(world.post("/model-limits/openai:org%2Fmodel", R"({"tokens": 6000})").status() == 200);
    storage::QuotaRequest request{.model = "openai:gpt-4o", .owner = "w1", .waiting = {{"a", {1, 1, 1, 1}}}};
    store.take_quota(request, [](const std::exception_ptr&, const storage::QuotaReply& reply) {
        REQUIRE(reply.granted.size() == 1);
        CHECK(reply.granted[0] == 4);
    });
    const auto listed = world.get("/model-limits").json()["model_limits"];
    REQUIRE(listed.size() == 2);
    CHECK(listed[0]["requests"] == 600);
    CHECK(listed[0]["tokens"].is_null());
    CHECK(listed[0]["per"] == "value.tenant");
    CHECK(listed[0]["requests_left"].get<double>() < 10);
    CHECK(listed[0]["waiting"] == 0);
    CHECK(listed[1]["model"] == "openai:org/model");
    CHECK(listed[1]["tokens_left"] == 100);

    CHECK(world.post("/model-limits/openai:gpt-4o", "{}").status() == 200);
    CHECK(world.get("/model-limits").json()["model_limits"].size() == 1);
}
TEST_CASE("a server refuses limits of a model when they are not valid, and a server without a store has none") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    for (auto [path, body, part] : {std::tuple("openai:gpt-4o", R"({"request": 2})", "request"),
                                    {"openai:gpt-4o", R"({"requests": 0})", "1 to 1000000000 a minute"},
                                    {"openai:gpt-4o", R"({"requests": "2"})", "requests"},
                                    {"openai:gpt-4o", R"({"requests": 2, "model": "openai:other"})", "model"},
                                    {"openai:gpt-4o", R"({"requests": 2, "per": "tenant"})", "value.tenant"},
                                    {"script:talk.json", R"({"requests": 2})", "is a file"}}) {
        const std::string sent = body;  // doctest captures it
        CAPTURE(sent);
        const auto answer = world.post(std::string("/model-limits/") + path, sent);
        CHECK_MESSAGE(answer.status() == 400, answer.text);
        CHECK_MESSAGE(answer.has(part), answer.text);
    }
    CHECK(world.get("/model-limits").json()["model_limits"].empty());
    ServedWorkflows without;
    CHECK(without.get("/model-limits").status() == 404);
    CHECK(without.post("/model-limits/openai:gpt-4o", "{}").status() == 404);
}
TEST_CASE("the metrics of a server include those of its store, and lack them while the store is away") {
    MemoryStore memory;
    FailingStore store(memory);
    ServedWorkflows world({.store = &store, .metrics = [] { return std::string("weft_own 1\n"); }});
    world.begin_refund();
    world.post("/queues/mail", R"({"running": 2})");
    world.post("/model-limits/openai:gpt-4o", R"({"requests": 600})");

    const auto found = world.get("/metrics");
    CHECK(found.status() == 200);
    for (const auto* part :
         {"weft_own 1\n", "weft_queue_limit{queue=\"mail\"} 2.0\n", "weft_schedules{state=\"paused\"}",
          "weft_model_limit{model=\"openai:gpt-4o\",kind=\"requests\"} 600.0\n"})
        CHECK_MESSAGE(found.has(part), found.text);

    store.fail(0, FailingStore::FailureMode::from_now_on);
    const auto away = world.get("/metrics");
    CHECK(away.status() == 200);
    CHECK(away.has("weft_own 1\n"));
    CHECK_FALSE(away.has("weft_queue_runs"));
    store.fail_no_more();
}
TEST_CASE("the metrics of a server come without those of its store when it does not answer for five seconds") {
    MemoryStore memory;
    FailingStore store(memory);
    ServedWorkflows world({.store = &store, .metrics = [] { return std::string("weft_own 1\n"); }});
    store.hold();
    testing::Caller caller(world.served);
    caller.send(testing::request_of("GET", "/metrics"));
    CHECK(caller.received().empty());

    world.served.clock.advance(std::chrono::seconds(5));
    const auto answer = caller.received();
    CHECK(answer.find("weft_own 1\n") != std::string::npos);
    CHECK(answer.find("weft_queue_runs") == std::string::npos);
    store.release();
}
