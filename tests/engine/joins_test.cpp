// Steps that wait for several events: joins, and collectors of several types.
#include "engine/durable.hpp"
#include "engine/graph.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
#include <random>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct TripEvent : StartEvent {
    std::vector<int> asks;  // odd: the weather, even: the traffic; of that many minutes
};
struct AskWeatherEvent {
    int n = 0;
};
struct AskTrafficEvent {
    int n = 0;
};
struct WeatherEvent {
    int n = 0;
};
struct TrafficEvent {
    int n = 0;
};
struct ReportEvent {
    int weather = 0, traffic = 0;
};
struct TripReportEvent : StopEvent {
    std::vector<int> pairs;  // weather * 100 + traffic
};

std::vector<std::variant<AskWeatherEvent, AskTrafficEvent>> plan(Context&, TripEvent e) {
    std::vector<std::variant<AskWeatherEvent, AskTrafficEvent>> all;
    for (int n : e.asks) {
        if (n % 2) all.emplace_back(AskWeatherEvent{n});
        else all.emplace_back(AskTrafficEvent{n});
    }
    return all;
}
awaitable<WeatherEvent> weather(Context&, AskWeatherEvent e) {
    co_await sleep_for(std::chrono::minutes(e.n));
    co_return WeatherEvent{e.n};
}
awaitable<TrafficEvent> traffic(Context&, AskTrafficEvent e) {
    co_await sleep_for(std::chrono::minutes(e.n));
    co_return TrafficEvent{e.n};
}
ReportEvent report(Context&, WeatherEvent w, TrafficEvent t) { return {w.n, t.n}; }
TripReportEvent gather(Context&, std::vector<ReportEvent> all) {
    TripReportEvent trip;
    for (auto& r : all) trip.pairs.push_back(r.weather * 100 + r.traffic);
    return trip;
}
inline constexpr auto trip = workflow("trip", step<plan>, step<weather>.workers(100), step<traffic>.workers(100),
                                      step<report>, step<gather>);

TripReportEvent tell_both(Context&, std::vector<std::variant<WeatherEvent, TrafficEvent>> all) {
    TripReportEvent trip;
    for (auto& one : all) trip.pairs.push_back(std::visit([](auto& e) { return e.n; }, one));
    return trip;
}
inline constexpr auto mixed = workflow("mixed", step<plan>, step<weather>.workers(100), step<traffic>.workers(100),
                                       step<tell_both>);
}

TEST_CASE("a join runs when one event of each type has arrived, in the order of arrival") {
    CHECK(testing::run(trip, {.asks = {1, 2}}).pairs == std::vector{102});
    // 1 and 4 are the first of their types, 3 and 2 the next ones: by time, not by branch
    CHECK(testing::run(trip, {.asks = {3, 4, 1, 2}}).pairs == std::vector{304, 102});
    CHECK(testing::run(trip, {.asks = {1, 3, 5, 2, 4}}).pairs == std::vector{102, 304});
}
TEST_CASE("a part without a partner does not keep a fan-out open") {
    CHECK(testing::run(trip, {.asks = {1, 3}}).pairs.empty());
    CHECK(testing::run(trip, {.asks = {}}).pairs.empty());
}
TEST_CASE("a collector of several types gets all branches, in fan-out order") {
    CHECK(testing::run(mixed, {.asks = {5, 2, 1, 4, 3}}).pairs == std::vector{5, 2, 1, 4, 3});
}

namespace {
struct CitiesEvent : StartEvent {
    int n = 0;
};
struct CityEvent {
    int i = 0;
};
struct CityReportEvent {
    int weather = 0, traffic = 0;
};
struct CountryEvent : StopEvent {
    std::vector<int> sums;
};
std::vector<CityEvent> cities(Context&, CitiesEvent e) {
    std::vector<CityEvent> all;
    for (int i = 0; i < e.n; ++i) all.push_back({i});
    return all;
}
std::vector<std::variant<AskWeatherEvent, AskTrafficEvent>> city(Context&, CityEvent e) {
    return {AskWeatherEvent{50 - e.i}, AskTrafficEvent{e.i}};
}
CityReportEvent only_one(Context&, std::vector<ReportEvent> of_a_city) {
    return {of_a_city.at(0).weather, of_a_city.at(0).traffic};
}
CountryEvent country(Context&, std::vector<CityReportEvent> all) {
    CountryEvent c;
    for (auto& r : all) c.sums.push_back(r.weather + r.traffic);
    return c;
}
inline constexpr auto land = workflow("land", step<cities>, step<city>.workers(9), step<weather>.workers(9),
                                      step<traffic>.workers(9), step<report>, step<only_one>, step<country>);
}
TEST_CASE("a join combines no events of different fan-outs, whatever their order") {
    CHECK(testing::run(land, {.n = 9}).sums == std::vector<int>(9, 50));
}

namespace {
struct OrderEvent : StartEvent {
    int n = 0;
};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {
    int n = 0;
};
struct PackedEvent {
    int n = 0;
};
struct SentEvent : StopEvent {
    int order = 0, packed = 0, reply = 0;
};
std::vector<std::variant<AskEvent, PackedEvent>> ask_and_pack(Context&, OrderEvent e) {
    return {AskEvent{}, PackedEvent{e.n * 10}};
}
SentEvent dispatch(Context& ctx, const OrderEvent& order, PackedEvent packed, ReplyEvent reply, Tally& sent) {
    ++sent.n;
    ctx.edit<Tally>([](auto& t) { ++t.n; });
    return {{}, order.n, packed.n, reply.n};
}
struct ShippedEvent {
    int n = 0;
};
PackedEvent unpack(Context&, ShippedEvent e) { return {e.n}; }
std::variant<AskEvent, ShippedEvent> first_ask(Context&, OrderEvent) { return AskEvent{}; }
ShippedEvent ship(Context&, ReplyEvent reply) { return {reply.n}; }
SentEvent match(Context&, OrderEvent order, PackedEvent packed) { return {{}, order.n, packed.n, 0}; }
inline constexpr auto matching = workflow("matching", step<first_ask>, step<ship>, step<unpack>, step<match>);
}
TEST_CASE("a join outside of any fan-out takes the start event, an answer and what a step emits") {
    testing::Recorder seen;
    const auto end = testing::run(matching, {.n = 7}, {.recorder = &seen},
                                  testing::answer<AskEvent>([](auto&) { return ReplyEvent{.n = 3}; }));
    CHECK(end.order == 7);
    CHECK(end.packed == 3);
}
TEST_CASE("a run with a join that waits for a human is idle, and continues with the answer, also by reference") {
    World w;
    Tally sent;
    // The order is from outside of the question's fan-out, and is never joined with events in it.
    constexpr auto never = workflow("never", step<ask_and_pack>, step<dispatch>);
    auto run = w.loop.start(never.with(sent), {.n = 1});
    w.io.run();
    CHECK(run.idle());
    run.send(ReplyEvent{});
    w.turn();
    CHECK(run.idle());
    CHECK(sent.n == 0);
    CHECK(run.diagnosis().find("step dispatch") != std::string::npos);
    CHECK(run.diagnosis().find("OrderEvent") != std::string::npos);
    run.cancel();
    w.turn();
    CHECK(run.ended());
}

namespace {
struct BatchEvent : StartEvent {
    unsigned seed = 0;
};
BOOST_DESCRIBE_STRUCT(BatchEvent, (), (seed))
struct LeftEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(LeftEvent, (), (n))
struct RightEvent {
    int n = 0;
    std::shared_ptr<int> load = {};  // is freed once; not stored
    static constexpr std::string_view undescribed_fields[] = {"load"};
};
BOOST_DESCRIBE_STRUCT(RightEvent, (), (n))
struct PairEvent {
    int left = 0, right = 0;
};
BOOST_DESCRIBE_STRUCT(PairEvent, (), (left, right))
struct PairsEvent : StopEvent {
    std::vector<int> lefts, rights;
};
BOOST_DESCRIBE_STRUCT(PairsEvent, (), (lefts, rights))
std::vector<std::variant<LeftEvent, RightEvent>> deal(Context&, BatchEvent e) {
    std::minstd_rand random(e.seed);
    std::vector<std::variant<LeftEvent, RightEvent>> all;
    for (int n = int(random() % 12), i = 0; i < n; ++i) {
        if (random() % 2) all.emplace_back(LeftEvent{i});
        else all.emplace_back(RightEvent{i, std::make_shared<int>(i)});
    }
    return all;
}
PairEvent pair(Context&, LeftEvent l, RightEvent r) { return {l.n, *r.load}; }
PairsEvent pairs(Context&, std::vector<PairEvent> all) {
    PairsEvent end;
    for (auto& p : all) end.lefts.push_back(p.left), end.rights.push_back(p.right);
    return end;
}
inline constexpr auto dealing = workflow("dealing", step<deal>, step<pair>, step<pairs>);
}
TEST_CASE("a join loses and repeats no pair, and its store has the same outcome") {
    for (unsigned seed = 1; seed < 200; ++seed) {
        MemoryStore store;
        World w(&store);
        auto run = w.loop.start(durable<>(dealing), {.seed = seed});
        w.io.run();
        Context ctx;
        std::vector<int> lefts, rights;
        for (auto& one : deal(ctx, {.seed = seed})) {
            if (auto* l = std::get_if<LeftEvent>(&one)) lefts.push_back(l->n);
            else rights.push_back(std::get<RightEvent>(one).n);
        }
        lefts.resize(std::min(lefts.size(), rights.size()));
        rights.resize(lefts.size());
        REQUIRE(run.outcome().lefts == lefts);
        REQUIRE(run.outcome().rights == rights);
        const auto outcome = nlohmann::json::parse(history_of(store, run.id()).run.outcome);
        REQUIRE(outcome["data"]["lefts"] == lefts);
        REQUIRE(outcome["data"]["rights"] == rights);
    }
}
TEST_CASE("a join is drawn with its parts") {
    const auto g = graph_of(trip);
    CHECK(mermaid(g).find("-->|and|") != std::string::npos);
    CHECK(dot(g).find("label=\"and\"") != std::string::npos);
    CHECK(graph_json(g).find("\"joins\": true") != std::string::npos);
    CHECK(graph_json(graph_of(mixed)).find("\"joins\"") == std::string::npos);
}
TEST_CASE("a join is tested by a call, like any step") {
    Context ctx;
    CHECK(report(ctx, {1}, {2}).traffic == 2);
}

namespace {
struct BaseEvent {};
struct XNewsEvent : HumanResponseEvent {};
struct YNewsEvent : HumanResponseEvent {};
struct XEvent {};
struct YEvent {};
BaseEvent lay(Context&, TripEvent) { return {}; }
XEvent hear_x(Context&, XNewsEvent) { return {}; }
YEvent hear_y(Context&, YNewsEvent) { return {}; }
TripReportEvent with_x(Context&, BaseEvent, XEvent) { return {.pairs = {1}}; }
TripReportEvent with_y(Context&, YEvent, BaseEvent) { return {.pairs = {2}}; }
inline constexpr auto two_joins = workflow("two_joins", step<with_x>, step<lay>, step<hear_x>, step<hear_y>,
                                           step<with_y>);
}
TEST_CASE("an idle run names every waiting join, with its present and missing parts") {
    World w;
    auto run = w.loop.start(two_joins, {});
    w.io.run();
    CHECK(run.diagnosis() == "the run is idle: step with_x waits for XEvent, and has BaseEvent; step with_y waits for "
                             "YEvent, and has BaseEvent");
    run.send(YNewsEvent{});
    w.turn();
    CHECK(run.outcome().pairs == std::vector{2});
}
