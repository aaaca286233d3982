// Readers of streams: many, slow, leaving, coming back.
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

struct World : ServedWorkflows {
    explicit World(server::ServerOptions options = {}) : ServedWorkflows(std::move(options), {}, {}, false) {
        // It needs the engine, which is made before the service.
    }
    std::string begin(int count, std::size_t filling = 0) {
        const json body = {{"start_event", {{"count", count}, {"filling", std::string(filling, 'x')}}}};
        return post("/workflows/counting/run-nowait", body.dump()).json().at("handler_id").get<std::string>();
    }
    void let_pass(std::chrono::milliseconds time) {
        for (auto i = 0ms; i < time; i += 1ms) {
            served.clock.advance(1ms);
            served.turn();
        }
    }
};
std::string events_of(Caller& reader, std::string& rest) {
    rest += reader.received();
    return rest;
}
std::vector<testing::StreamedEvent> all_in(const std::string& answer) {
    return events_in(testing::unchunked(testing::body_of(answer)));
}
}

TEST_CASE("a hundred readers that come at different times all have all events in their order") {
    ServedWorkflows world({}, {}, {}, false, &counting);
    const auto id = [&] {
        const json body = {{"start_event", {{"count", 50}, {"filling", ""}}}};
        return world.post("/workflows/counting/run-nowait", body.dump()).json()["handler_id"].get<std::string>();
    }();
    std::vector<std::unique_ptr<Caller>> readers;
    std::vector<std::string> texts;
    for (int i = 0; i < 60; ++i) {
        for (int n = 0; n < 2; ++n) {
            readers.push_back(std::make_unique<Caller>(world.served));
            texts.push_back(readers.back()->ask(request_of("GET", "/events/" + id)));
        }
        world.served.clock.advance(1ms);
        world.served.turn();
    }
    for (std::size_t i = 0; i < readers.size(); ++i) {
        const auto events = all_in(texts[i] + readers[i]->received());
        REQUIRE(events.size() == 51);
        for (int n = 0; n < 51; ++n) CHECK(events[std::size_t(n)].id == n);
        CHECK(events.back().envelope["types"] == json{"StopEvent"});
    }
}
