// Start keys over HTTP.
#include "engine/store/memory_store.hpp"
#include "tests/support/served_workflows.hpp"
using namespace weft;
using nlohmann::json;
using testing::ServedWorkflows;

namespace {
std::string refund(const std::string& key, const std::string& more = {}) {
    return R"({"start_event": {"order": "A-17", "amount": 120}, "key": ")" + key + '"' + more + "}";
}
}

TEST_CASE("a start with a known key gives the same run") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    const auto first = world.post("/workflows/refund/run-nowait", refund("order-17")).json();
    CHECK(first["run_id"] == "refund:order-17");
    const auto again = world.post("/workflows/refund/run-nowait", refund("order-17", R"(, "handler_id": "other")"));
    CHECK(again.status() == 200);
    CHECK(again.json()["handler_id"] == first["handler_id"]);
    CHECK(world.get("/handlers").json()["handlers"].size() == 1);
    CHECK(world.post("/workflows/refund/run-nowait", refund("order-18")).json()["run_id"] == "refund:order-18");
    // The same key of another workflow is another run.
    const auto hello = world.post("/workflows/hello/run", R"({"start_event": {"text": "World"}, "key": "order-17"})");
    CHECK_MESSAGE(hello.status() == 200, hello.text);
    CHECK(hello.json()["run_id"] == "hello:order-17");
    CHECK(world.post("/workflows/hello/run", R"({"start_event": {"text": "Moon"}, "key": "order-17"})").json() ==
          hello.json());
}
TEST_CASE("a server finds the run of a key after a restart") {
    MemoryStore store;
    json hello, question;
    {
        ServedWorkflows world({.store = &store});
        hello = world.post("/workflows/hello/run", R"({"start_event": {"text": "World"}, "key": "a"})").json();
        question = world.post("/workflows/refund/run-nowait", refund("a")).json();
    }
    ServedWorkflows world({.store = &store, .runs = {.kept = 0}});
    CHECK(world.post("/workflows/hello/run", R"({"start_event": {"text": "Moon"}, "key": "a"})").json()["result"] ==
          hello["result"]);
    const auto again = world.post("/workflows/refund/run-nowait", refund("a")).json();
    CHECK(again["handler_id"] == question["handler_id"]);
    CHECK(again["status"] == "running");
}
TEST_CASE("a key gives the same run when the server offers the workflow by another name") {
    MemoryStore store;
    ServedWorkflows world({.store = &store}, [](Engine& engine, std::vector<server::ServedWorkflow>& all) {
        all.push_back(server::offer(engine, durable(workflows::hello)));
        all.back().name = "greet";
    });
    constexpr auto start = R"({"start_event": {"text": "World"}, "key": "a"})";
    const auto first = world.post("/workflows/greet/run", start);
    CHECK_MESSAGE(first.status() == 200, first.text);
    CHECK(first.json()["run_id"] == "hello:a");
    CHECK(world.post("/workflows/greet/run", start).json() == first.json());
}
TEST_CASE("a run that another server has left is taken up once when two requests for its key come together") {
    MemoryStore store;
    store.share();
    ServedWorkflows world({.store = &store});
    {
        ServedWorkflows other({.store = &store});
        CHECK(other.post("/workflows/refund/run-nowait", refund("a")).status() == 200);
    }
    testing::Caller first(world.served), second(world.served);
    const auto request = testing::request_of("POST", "/workflows/refund/run-nowait", refund("a"));
    store.hold();
    first.send(request);
    second.send(request);
    store.release();  // both have found the run
    world.served.turn();
    store.flow();
    const testing::Answer one{first.received()}, two{second.received()};
    CHECK_MESSAGE(one.status() == 200, one.text);
    CHECK(two.json()["handler_id"] == one.json()["handler_id"]);
    CHECK(world.service->runs->running() == 1);
}
TEST_CASE("a key is refused when another command has its run, when it is not valid, and without a store") {
    MemoryStore store;
    storage::NewRun other{.id = "hello:taken", .start_key = "taken", .plan = {"h", "hello", "{}"}, .options = {}};
    other.queue = "default";
    store.create(other, [](const std::exception_ptr& error, const auto&) { CHECK(!error); });
    ServedWorkflows world({.store = &store});
    const auto hello = [](const std::string& key) {
        return R"({"start_event": {"text": "World"}, "key": )" + key + "}";
    };
    const auto taken = world.post("/workflows/hello/run", hello(R"("taken")"));
    CHECK(taken.status() == 409);
    CHECK(taken.has("another command has started it"));
    CHECK(world.post("/workflows/hello/run", hello(R"("a\u0007b")")).status() == 400);
    CHECK(world.post("/workflows/hello/run", hello("7")).status() == 400);
    CHECK(world.post("/workflows/hello/run", hello('"' + std::string(201, 'x') + '"')).status() == 400);
    ServedWorkflows without;
    CHECK(without.post("/workflows/hello/run", hello(R"("a")")).has("needs a stored run"));
}
