// Snapshots with a fitting sum and a state that no run can have, for example by a fault of the program that wrote them.
#include "engine/timeout.hpp"
#include "tests/engine/durable/snapshots.hpp"
#include <nlohmann/json.hpp>
using namespace dying;
using namespace snapshots;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {
struct HuntEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(HuntEvent, (), ())
struct PlaceEvent {
    int hours = 0;
};
BOOST_DESCRIBE_STRUCT(PlaceEvent, (), (hours))
struct CaughtEvent {
    int hours = 0;
};
BOOST_DESCRIBE_STRUCT(CaughtEvent, (), (hours))
struct HuntedEvent : StopEvent {
    int sum = 0;
};
BOOST_DESCRIBE_STRUCT(HuntedEvent, (), (sum))

std::vector<PlaceEvent> send_out(Context&, HuntEvent) { return {{1}, {2}, {3}, {4}}; }
awaitable<CaughtEvent> look(Context&, PlaceEvent place) {
    co_await sleep_for(place.hours * 1h);
    co_return CaughtEvent{.hours = place.hours};
}
HuntedEvent count(Context&, std::vector<CaughtEvent> first) {
    HuntedEvent hunted;
    for (const auto& each : first) hunted.sum = hunted.sum * 10 + each.hours;
    return hunted;
}
inline constexpr auto hunt = workflow("hunt", step<send_out>, step<look>, step<count>.first(3));
const auto stored_hunt = durable(hunt);

/// Stores a run of which one of four branches has ended. `every`: 1 to store a snapshot of this state, or 0.
History begin_hunt(testing::ManualClock& clock, Store& store, std::uint32_t every) {
    SnapshotWorld world(clock, store, every);
    auto run = world.loop.start(stored_hunt, {}, {.id = "h"});
    world.run();
    clock.jump();
    world.run();
    History history;
    store.load(
        "h", [&](const std::exception_ptr&, History loaded) { history = std::move(loaded); }, 0);
    return history;
}
/// Resumes the run from a snapshot with this state. Returns how often the run was loaded.
std::size_t loads_with(const json& snapshot, std::uint64_t upto) {
    testing::ManualClock clock;
    MemoryStore memory;
    begin_hunt(clock, memory, 0);
    free_all(memory);
    append_by_hand(memory, [&](Batch& batch) {
        const auto body = snapshot.dump();
        batch.snapshot = Snapshot{.upto = upto, .body = body, .sum = chained_sum(0, upto, body)};
    });
    Reading store(memory);
    SnapshotWorld world(clock, store, 0);
    auto run = resume_on(world.loop, stored_hunt, "h");
    for (int i = 0; i < 20 && !run.ended(); ++i) {
        world.run();
        clock.jump();
    }
    CHECK(run.outcome().sum == 123);
    return store.loaded.size();
}
/// Paths of all numbers below this value.
void find_numbers(const json& value, const json::json_pointer& at, std::vector<json::json_pointer>& found) {
    if (value.is_number()) found.push_back(at);
    if (!value.is_structured()) return;
    for (const auto& [key, each] : value.items()) find_numbers(each, at / key, found);
}
}

TEST_CASE("a run resumes from its ticks when a number of the groups in its snapshot names nothing") {
    testing::ManualClock clock;
    MemoryStore memory;
    const auto history = begin_hunt(clock, memory, 1);
    REQUIRE(history.snapshot);
    const auto sound = json::parse(history.snapshot->body);
    const auto loads = [&](const json& changed) { return loads_with(changed, history.snapshot->upto); };
    CHECK(loads(sound) == 1);
    const json::json_pointer meeting("/state/meeting");
    REQUIRE(sound.contains(meeting));
    std::vector<json::json_pointer> numbers;
    for (const char* members : {"tokens", "groups", "tokens_of", "within"})
        find_numbers(sound.at(meeting / members), meeting / members, numbers);
    REQUIRE(numbers.size() >= 6);
    for (const auto& number : numbers) {
        CAPTURE(number.to_string());
        auto changed = sound;
        changed[number] = 7777;
        CHECK(loads(changed) == 2);
    }
    for (const char* members : {"tokens_of", "within", "tokens"}) {
        CAPTURE(std::string(members));
        auto changed = sound;
        changed[meeting / members] = json::array();
        CHECK(loads(changed) == 2);
    }
    auto without = sound;
    without["state"]["meeting"] = nullptr;
    CHECK(loads(without) == 2);
}
