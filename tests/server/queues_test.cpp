// The routes of queues and their limits.
#include "engine/store/memory_store.hpp"
#include "tests/support/served_workflows.hpp"
using namespace weft;
using nlohmann::json;
using testing::ServedWorkflows;

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
