// Bounds of the memory of runs and readers.
#include "engine/store/memory_store.hpp"
#include "engine/timeout.hpp"
#include "tests/support/served_workflows.hpp"
#include "workflows/server/catalog_workflows.hpp"
#include "workflows/server/runs/log_cache.hpp"
using namespace weft;
using namespace weft::server;
using nlohmann::json;
using testing::Caller;
using testing::request_of;
using testing::ServedWorkflows;

namespace {
std::string refund_of(std::size_t bytes) {
    return json{{"start_event", {{"order", std::string(bytes, 'x')}, {"amount", 120}}}}.dump();
}
}

TEST_CASE("active runs hold a bounded number of bytes, and a further run gets 503 until one has ended") {
    ServedWorkflows world({.runs = {.open_bytes = 1 << 20}});
    const auto begin = [&](std::size_t bytes) { return world.post("/workflows/refund/run-nowait", refund_of(bytes)); };
    const auto first = begin(100 << 10), second = begin(100 << 10);
    CHECK(first.status() == 200);
    CHECK(second.status() == 200);

    const auto refused = begin(200 << 10);

    CHECK(refused.status() == 503);
    CHECK(refused.has("Retry-After: "));
    CHECK(refused.has("hold as much memory as this server allows"));
    CHECK(begin(1 << 10).status() == 200);
    const auto held = world.service->runs->open_bytes();
    CHECK(held > 600 << 10);
    CHECK(held <= 1 << 20);
    const auto id = first.json()["handler_id"].get<std::string>();
    CHECK(world.post("/handlers/" + id + "/cancel").status() == 200);
    CHECK(begin(100 << 10).status() == 200);
}
TEST_CASE("an answer without room gets 503, and a short one is always accepted") {
    ServedWorkflows world({.runs = {.open_bytes = 400 << 10}});
    const auto begun = world.post("/workflows/refund/run-nowait", refund_of(100 << 10));
    const auto id = begun.json()["handler_id"].get<std::string>();
    const json value = {{"granted", true}, {"comment", std::string(100 << 10, 'x')}};
    const json long_answer = {{"event", {{"type", "ApprovalEvent"}, {"value", value}}}};
    CHECK(world.post("/events/" + id, long_answer.dump()).status() == 503);
    const json answer = {{"event", {{"type", "ApprovalEvent"}, {"value", {{"granted", true}}}}}};
    CHECK(world.post("/events/" + id, answer.dump()).status() == 200);
    world.served.turn();
    CHECK(world.service->runs->open_bytes() == 0);
}
TEST_CASE("the least recently used conversations are dropped when they are too long together") {
    Conversations conversations(100, 10'000);
    for (int i = 0; i < 20; ++i)
        conversations.memory(std::to_string(i))->append({}, {std::string(1000, 'q'), "answer"});
    CHECK(conversations.size() <= 11);
    CHECK(conversations.memory("19")->read("").size() == 2);
    CHECK(conversations.memory("0")->read("").empty());
}
TEST_CASE("a long stored run's events reach each reader whole and in order") {
    MemoryStore store;
    ServedWorkflows world({.store = &store});
    const auto ask = json{{"start_event", {{"order", std::string(400'000, 'x') + "\xE2\x80\xA8"}, {"amount", 120}}},
                          {"handler_id", "long"}};
    REQUIRE(world.post("/workflows/refund/run-nowait", ask.dump()).status() == 200);
    world.post("/events/long", R"({"event": {"type": "ApprovalEvent", "value": {"granted": true}}})");
    world.served.turn();
    const auto whole = world.events("long");
    REQUIRE(whole.size() >= 2);
    CHECK(whole.back().envelope["types"] == json({"StopEvent"}));

    std::string taken;
    {
        Caller slow(world.served, 4096);
        slow.send(request_of("GET", "/events/long"));
        for (int rounds = 0; rounds < 1000 && !taken.ends_with("0\r\n\r\n"); ++rounds) taken += slow.received();
    }
    const auto events = testing::events_in(testing::unchunked(testing::body_of(taken)));

    REQUIRE(events.size() == whole.size());
    for (std::size_t i = 0; i < events.size(); ++i) CHECK(events[i].envelope == whole[i].envelope);
    const auto plain = world.events("long", "?include_qualified_name=false");
    REQUIRE(plain.size() == whole.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
        CHECK_FALSE(plain[i].envelope.contains("qualified_name"));
        CHECK(plain[i].envelope["value"] == whole[i].envelope["value"]);
    }
}
TEST_CASE("a cache keeps the latest texts within its bytes, and bounds the number of parallel reads") {
    const auto cache = std::make_shared<LogCache>(100, 1);
    for (int i = 0; i < 20; ++i) cache->put("run", i, std::make_shared<const std::string>(10, 'a'));
    CHECK(cache->bytes() == 100);
    CHECK_FALSE(cache->find("run", 9));
    CHECK(cache->find("run", 10));
    CHECK_FALSE(cache->find("other", 10));

    asio::io_context io;
    std::string order;
    const auto reader = [&](char name) -> awaitable<void> {
        auto waiting = cache->turn();
        const auto turn = co_await std::move(waiting);
        order += name;
        auto& executor = co_await this_executor();
        co_await asio::post(executor, asio::deferred);
        order += name;
    };
    for (const char name : {'a', 'b', 'c'}) {
        auto reading = reader(name);
        spawn(io.get_executor(), std::move(reading), [](std::exception_ptr error) { CHECK_FALSE(error); });
    }
    io.run();
    CHECK(order == "aabbcc");
}
