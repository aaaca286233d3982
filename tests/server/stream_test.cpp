// Readers of streams: many, slow, leaving and returning ones.
#include "engine/timeout.hpp"
#include "tests/support/served_workflows.hpp"
using namespace weft;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::Caller;
using testing::events_in;
using testing::request_of;
using testing::ServedWorkflows;

namespace {
struct CountFromEvent : StartEvent {
    int count = 0;
    std::string filling;
};
BOOST_DESCRIBE_STRUCT(CountFromEvent, (), (count, filling))
struct NumberEvent {
    int number = 0;
    std::string filling;
};
BOOST_DESCRIBE_STRUCT(NumberEvent, (), (number, filling))
struct CountedEvent : StopEvent {
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(CountedEvent, (), (count))
awaitable<CountedEvent> count_up(Context& ctx, CountFromEvent from) {
    for (int i = 0; i < from.count; ++i) {
        ctx.stream(NumberEvent{i, from.filling});
        co_await sleep_for(1ms);
    }
    co_return CountedEvent{.count = from.count};
}
constexpr auto counting = workflow("counting", step<count_up>);

void add_counting(Engine& engine, std::vector<server::ServedWorkflow>& all) {
    all.push_back(server::offer(engine, counting));
}
std::string begin(ServedWorkflows& world, int count, std::size_t filling = 0) {
    const json body = {{"start_event", {{"count", count}, {"filling", std::string(filling, 'x')}}}};
    return world.post("/workflows/counting/run-nowait", body.dump()).json().at("handler_id").get<std::string>();
}
void let_pass(ServedWorkflows& world, int milliseconds) {
    for (int i = 0; i < milliseconds; ++i) {
        world.served.clock.advance(1ms);
        world.served.turn();
    }
}
std::vector<testing::StreamedEvent> all_in(const std::string& answer) {
    return events_in(testing::unchunked(testing::body_of(answer)));
}
}

TEST_CASE("a hundred readers arriving at different times all have all events in their order") {
    ServedWorkflows world({}, add_counting);
    const auto id = begin(world, 50);
    std::vector<std::unique_ptr<Caller>> readers;
    std::vector<std::string> texts;
    for (int i = 0; i < 60; ++i) {
        for (int n = 0; n < 2; ++n) {
            readers.push_back(std::make_unique<Caller>(world.served));
            texts.push_back(readers.back()->ask(request_of("GET", "/events/" + id)));
        }
        let_pass(world, 1);
    }
    for (std::size_t i = 0; i < readers.size(); ++i) {
        const auto events = all_in(texts[i] + readers[i]->received());
        REQUIRE(events.size() == 51);
        for (int n = 0; n < 51; ++n) CHECK(events[std::size_t(n)].id == n);
        CHECK(events.back().envelope["types"] == json{"StopEvent"});
    }
}
TEST_CASE("a reconnecting reader sends the last number that it has seen, and misses nothing") {
    ServedWorkflows world({}, add_counting);
    const auto id = begin(world, 30);
    std::vector<std::int64_t> seen;
    for (int visit = 0; visit < 80 && (seen.empty() || seen.back() < 30); ++visit) {
        Caller reader(world.served);
        const auto last = seen.empty() ? std::string() : "Last-Event-ID: " + std::to_string(seen.back()) + "\r\n";
        auto text = reader.ask(request_of("GET", "/events/" + id + "?after_sequence=7", "", last));
        if (visit % 2) reader.reset();
        else let_pass(world, 1), text += reader.received();
        for (const auto& event : all_in(text)) seen.push_back(event.id);
    }
    std::vector<std::int64_t> expected;  // the first visit begins after the query's number
    for (std::int64_t i = 8; i <= 30; ++i) expected.push_back(i);
    if (seen.front() == 0) expected.insert(expected.begin(), {0, 1, 2, 3, 4, 5, 6, 7});
    std::string numbers;
    for (const auto number : seen) numbers += std::to_string(number) + " ";
    CHECK_MESSAGE(seen == expected, numbers);
}
TEST_CASE("a quiet stream has a heartbeat, except as lines of JSON; each form ends with the run") {
    ServedWorkflows world;
    const auto id = world.begin_refund();
    Caller sse(world.served), lines(world.served);
    sse.ask(request_of("GET", "/events/" + id));
    const auto begin = lines.ask(request_of("GET", "/events/" + id + "?sse=false&include_qualified_name=false"));
    CHECK(begin.find("Content-Type: application/x-ndjson") != begin.npos);
    const auto envelope = json::parse(testing::unchunked(testing::body_of(begin)));
    CHECK_FALSE(envelope.contains("qualified_name"));
    CHECK(envelope["type"] == "ApprovalRequestEvent");

    world.served.clock.advance(26s);
    CHECK(testing::unchunked(sse.received()) == ": heartbeat\n\n");
    CHECK(lines.received().empty());
    world.post("/handlers/" + id + "/cancel");
    CHECK(sse.received().ends_with("0\r\n\r\n"));
    CHECK(lines.received().ends_with("0\r\n\r\n"));
    CHECK(world.get("/events/" + id + "?after_sequence=1").status() == 204);
    CHECK(world.get("/events/" + id + "?after_sequence=now").status() == 204);
}
TEST_CASE("a stalled reader delays no other reader, costs bounded memory, and its stream is cut off without an end") {
    ServedWorkflows world({}, add_counting);
    const auto id = begin(world, 400, 20'000);
    Caller deaf(world.served, 4096), attentive(world.served);
    deaf.send(request_of("GET", "/events/" + id));
    auto text = attentive.ask(request_of("GET", "/events/" + id));
    for (int i = 0; i < 410; ++i) {
        let_pass(world, 1);
        text += attentive.received();
    }
    CHECK(all_in(text).size() == 401);
    CHECK(world.get("/handlers/" + id).status() == 200);
    world.served.turn();
    CHECK(world.served.server.connections() >= 1);  // on a busy machine the reader may be cut off
    world.served.clock.advance(31s);
    world.served.turn();
    CHECK(world.served.server.connections() == 1);
    CHECK_FALSE(deaf.received().ends_with("0\r\n\r\n"));
}
TEST_CASE("a stopping server cuts streams off without an end, so that their clients reconnect") {
    ServedWorkflows world;
    const auto id = world.begin_refund();
    Caller reader(world.served);
    reader.ask(request_of("GET", "/events/" + id));
    world.served.server.stop(5s);
    world.served.turn();
    CHECK_FALSE(reader.received().ends_with("0\r\n\r\n"));
    CHECK(reader.closed());
    CHECK(world.served.ended);
}
TEST_CASE("a reader that requests pruned events gets the first number left") {
    ServedWorkflows world({.runs = {.log = {.events = 10}}}, add_counting);
    const auto id = begin(world, 30);
    let_pass(world, 40);

    const auto late = world.get("/events/" + id);
    CHECK(late.status() == 410);
    CHECK(late.json()["detail"] == "the events before number 21 are no longer kept: request later ones with "
                                   "after_sequence=20");
    CHECK(world.events(id, "?after_sequence=20").size() == 10);
}
TEST_CASE("internal events reach readers that request them, without a number") {
    ServedWorkflows world;
    const auto id = world.begin_refund();
    const auto events = world.events(id, "?include_internal=true");

    std::vector<std::string> seen;
    for (const auto& event : events) {
        const auto& value = event.envelope["value"];
        seen.push_back(std::to_string(event.id) + " " + event.envelope["type"].get<std::string>() +
                       (value.contains("step_state") ? " " + value["step_state"].get<std::string>() : ""));
    }
    CHECK(seen == std::vector<std::string>{"-2 StepStateChanged running", "-2 StepStateChanged not_running",
                                           "0 ApprovalRequestEvent", "-2 WorkflowIdleEvent"});
    CHECK(events[1].envelope["value"]["output_event_name"] == "ApprovalRequestEvent");
}
