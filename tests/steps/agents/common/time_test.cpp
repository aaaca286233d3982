// The time of an agent's run: by the monotonic clock, and by the date only between two processes.
#include "engine/json.hpp"
#include "tests/support/tool_agent.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace std::chrono_literals;

namespace {
/// Returns the value as another process reads it.
Spent stored(const Spent& spent) { return from_json<Spent>(parse_json(to_json(spent).dump())); }
}

TEST_CASE("a run's time is counted between notes, independent of the date") {
    testing::ManualClock clock;
    Spent spent;

    begin_turn(spent, clock);
    clock.advance(10s);
    clock.jump_wall(1h);
    end_turn(spent, clock);
    CHECK(spent.time_ms == 10'000);
    CHECK(spent.slowest_ms == 10'000);

    clock.jump_wall(-3h);
    clock.advance(5s);
    begin_turn(spent, clock);
    CHECK(spent.time_ms == 15'000);
    end_turn(spent, clock);
    CHECK(spent.time_ms == 15'000);
    CHECK(spent.slowest_ms == 10'000);
}
TEST_CASE("a run resumed in another process counts its time from the date of the last record") {
    testing::ManualClock first, second;
    Spent spent;
    first.advance(7h);  // monotonic clocks of two processes are independent
    begin_turn(spent, first);
    first.advance(2s);
    end_turn(spent, first);

    second.jump_wall(7h + 5s);
    auto again = stored(spent);
    begin_turn(again, second);
    CHECK(again.time_ms == 5'000);

    second.jump_wall(1h);
    second.advance(4s);
    end_turn(again, second);
    CHECK(again.time_ms == 9'000);
    CHECK(again.slowest_ms == 4'000);
}
TEST_CASE("a date set back between two processes reduces no counted time") {
    testing::ManualClock first, second;
    Spent spent;
    begin_turn(spent, first);
    first.advance(2s);
    end_turn(spent, first);

    second.jump_wall(-1h);
    auto again = stored(spent);
    begin_turn(again, second);
    CHECK(again.time_ms == 2'000);
    second.advance(3s);
    end_turn(again, second);
    CHECK(again.time_ms == 5'000);
}
TEST_CASE("many short turns count their whole time") {
    testing::ManualClock clock;
    Spent spent;
    begin_turn(spent, clock);
    for (int i = 0; i < 1000; ++i) {
        clock.advance(700us);
        end_turn(spent, clock);
    }
    CHECK(spent.time_ms == 700);
    CHECK(stored(spent).noted_us == spent.noted_us);
}
// shows B-L01
TEST_CASE("a budget of time ends a run at the same turn when the date jumps") {
    for (const Duration jump : {Duration(0h), Duration(1h), Duration(-1h)}) {
        NativeAgent agent;
        agent.options.budget.time_ms = 60'000;
        agent.add("count", [](const nlohmann::json& a) { return tools::Observation{a.dump()}; });
        AskedModel model([&](const models::ChatRequest& request) {
            agent.clock.jump_wall(jump);
            if (request.choice == models::ToolChoice::none) return say("What I have.");
            const auto n = std::to_string(request.messages.size());
            return calls({{"c" + n, "count", "{\"n\": " + n + "}"}});
        });
        model.delay = 10s;

        const auto told = agent.ask(model);

        CAPTURE(jump / 1h);
        CHECK(told.outcome == AnswerOutcome::limit);
        CHECK(told.result.limit == "time");
        CHECK(model.requests.size() == 6);
    }
}
