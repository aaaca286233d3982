// Signals that clients send into runs, and slots that they read.
#include "engine/store/memory_store.hpp"
#include "tests/engine/durable/watched.hpp"
#include "tests/support/served_workflows.hpp"
#include <thread>
using namespace weft;
using nlohmann::json;
using testing::Answer;
using testing::ServedWorkflows;

namespace {
const ServedWorkflows::More offers_watch = [](Engine& engine, std::vector<server::ServedWorkflow>& all) {
    all.push_back(server::offer(engine, durable<watches::PausedBy>(watches::counted_watch)));
};
std::string begin_watch(ServedWorkflows& world) {
    return world.post("/workflows/counted_watch/run-nowait").json().at("handler_id").get<std::string>();
}
Answer pause(ServedWorkflows& world, const std::string& run, const std::string& by, json more = json::object()) {
    more["signal"] = {{"type", "PauseEvent"}, {"value", {{"by", by}}}};
    return world.post("/handlers/" + run + "/signals", more.dump());
}
}

TEST_CASE("a stored run takes a signal once when a client sends it twice, and shows its slots") {
    MemoryStore store;
    ServedWorkflows world({.store = &store}, offers_watch);
    const auto run = begin_watch(world);
    CHECK(world.get("/handlers/" + run + "/slots").json() == json{{"slots", json::object()}, {"ticks", 2}});

    CHECK(pause(world, run, "a", {{"id", "1"}}).json() == json{{"status", "sent"}});
    CHECK(pause(world, run, "a", {{"id", "1"}}).json() == json{{"status", "known"}});
    for (json slots; !slots.contains("paused_by"); world.served.turn()) {
        std::this_thread::yield();
        slots = world.get("/handlers/" + run + "/slots").json().at("slots");
        if (slots.contains("paused_by")) CHECK(slots["paused_by"] == json{{"names", "a"}});
    }
    CHECK(pause(world, run, "a", {{"id", "1"}}).json() == json{{"status", "known"}});
    for (const char* by : {"b", "c"}) CHECK(pause(world, run, by).status() == 200);
    while (world.get("/handlers/" + run).status() == 202) {
        std::this_thread::yield();
        world.served.turn();
    }
    CHECK(world.get("/handlers/" + run).json()["result"]["value"]["by"] == "abc");
    CHECK(pause(world, run, "d").status() == 409);
    CHECK(world.get("/handlers/" + run + "/slots").json()["slots"]["paused_by"]["names"] == "abc");
}
TEST_CASE("a run without a store takes signals, but no id of them, and has no readable slots") {
    ServedWorkflows world({}, offers_watch);
    const auto run = begin_watch(world);
    const auto refused = pause(world, run, "a", {{"id", "1"}});
    CHECK(refused.status() == 400);
    CHECK(refused.has("leave out the id"));
    CHECK(world.get("/handlers/" + run + "/slots").status() == 409);
    for (const char* by : {"a", "b", "c"}) CHECK(pause(world, run, by).json()["status"] == "sent");
    CHECK(world.get("/handlers/" + run).json()["result"]["value"]["by"] == "abc");
}
TEST_CASE("a client's wrong signal has a status and a sentence that names it") {
    MemoryStore store;
    ServedWorkflows world({.store = &store}, offers_watch);
    const auto run = begin_watch(world), refund = world.begin_refund();
    struct Row {
        std::string run, body;
        unsigned status;
        std::string says;
    };
    const Row rows[] = {
        {"nobody", R"({"signal": {"type": "PauseEvent", "value": {}}})", 404, "there is no run"},
        {run, "{}", 400, "\\\"signal\\\" is missing"},
        {run, R"({"event": {"type": "PauseEvent", "value": {}}})", 400, "signal"},
        {run, R"({"signal": {"type": "StopItEvent", "value": {}}})", 400,
         "the workflow counted_watch takes no signal StopItEvent; it takes PauseEvent"},
        {run, R"({"signal": {"type": "WatchEvent", "value": {}}})", 400, "takes no signal WatchEvent"},
        {refund, R"({"signal": {"type": "ApprovalEvent", "value": {"granted": true}}})", 400,
         "takes no signal ApprovalEvent; it takes no signals"},
        {run, R"({"signal": {"type": "PauseEvent", "value": {"by": 7}}})", 400, "by"},
        {run, R"({"signal": {"type": "PauseEvent", "value": {"whom": "x"}}})", 400, "whom"},
        {run, R"({"signal": {"type": "PauseEvent", "value": {}, "question": "3"}})", 400, "leave out the question"},
        {run, R"({"signal": {"type": "PauseEvent", "value": {}}, "id": 3})", 400, "\\\"id\\\" has to be a text"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.body);
        const auto answer = world.post("/handlers/" + row.run + "/signals", row.body);
        CHECK(answer.status() == row.status);
        CAPTURE(answer.text);
        CHECK(answer.has(row.says));
    }
    const auto sent = world.post("/events/" + run,
                                 R"({"event": {"type": "PauseEvent", "value": {}}, "question": "0"})");
    CHECK(sent.status() == 400);
    CHECK(sent.has("is a signal, which answers no question"));
}
TEST_CASE("a full inbox of a run that has not begun refuses a signal") {
    MemoryStore store;
    ServedWorkflows world({.store = &store}, offers_watch);
    const auto started = world.post("/workflows/counted_watch/run-nowait",
                                    R"({"not_before": "2100-01-01T00:00:00Z", "start_event": {}})");
    const auto run = started.json().at("handler_id").get<std::string>();
    CHECK(pause(world, run, "a").json()["status"] == "sent");
    const auto id = world.get("/handlers/" + run).json()["run_id"].get<std::string>();
    const std::string long_name(storage::most_unread_mail_bytes / 2, 'x');
    const json body{{"event", "PauseEvent"}, {"data", {{"by", long_name}}}};
    for (const char* mail : {"1", "2"})
        store.send({id, mail, body.dump()}, [](std::exception_ptr, storage::SendReply) {});
    const auto refused = pause(world, run, "a");
    CHECK(refused.status() == 429);
    CHECK(refused.has("is full"));
}
