// Three engines share a store with three schedules. One engine leaves, and one loses its lease, in virtual time.
#include "engine/storage/answer.hpp"
#include "engine/store/failing_store.hpp"
#include "tests/engine/schedule/kept.hpp"
#include "tests/support/hinting_store.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <mutex>
#include <thread>
using namespace kept_schedules;

namespace {
struct TurnEvent : StartEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(TurnEvent, (), (text))
struct TurnedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(TurnedEvent, (), ())
TurnedEvent turn(Context&, TurnEvent) { return {}; }
inline constexpr auto turning = workflow("turning", step<turn>);
constexpr auto lease = 60s, pace = 10s;
const std::map<std::string, std::chrono::seconds> intervals{{"a", 20s}, {"b", 30s}, {"c", 70s}};

/// Engines that share a store. Each has a connection of its own, which may be cut.
struct Team {
    weft::testing::ManualClock clock;
    hinting::HintingStore store{[this] { return clock.wall().time_since_epoch().count(); }};
    struct Member {
        explicit Member(Team& team)
            : connection(team.store),
              engine(std::in_place, Engine::Options{.store = &connection,
                                                    .park = true,
                                                    .lease = lease,
                                                    .tells = [this] { return ++heartbeats, "member"; },
                                                    .clock = &team.clock}) {}
        std::atomic<int> heartbeats = 0;
        FailingStore connection;
        std::optional<Engine> engine;
        bool is_cut = false;
    };
    std::vector<std::unique_ptr<Member>> members;
    Time now() const { return std::chrono::floor<std::chrono::seconds>(clock.wall()); }
    const Time begin = now();

    explicit Team(std::size_t size) {
        store.share();
        const auto work = durable(turning);
        for (std::size_t i = 0; i < size; ++i) {
            members.push_back(std::make_unique<Member>(*this));
            members.back()->engine->recover(work, schedules_of(work));
        }
    }
    void add(const std::string& name, std::chrono::seconds interval) {
        ScheduleEvent made;
        made.name = name;
        made.workflow = turning.name;
        made.input.text = R"({"text":"x"})";
        made.timetable.text = Timetable::every(interval, begin).to_json();
        made.missed = MissedTimes::all;
        made.window = 1h;
        made.overlap = Overlap::allow;
        weft::testing::await(schedule::add(store, made, targets(durable(turning))), clock);
    }
    /// Lets each connected engine hear of all ready runs.
    void beat() {
        std::vector<std::pair<Member*, int>> wanted;
        for (auto& member : members)
            if (member->engine && !member->is_cut) wanted.emplace_back(member.get(), member->heartbeats + 2);
        for (const auto& [member, count] : wanted)
            while (member->heartbeats < count) {
                store.hint("");
                std::this_thread::sleep_for(1ms);
            }
    }
    std::vector<storage::RunRow> rows(const std::string& workflow) {
        return storage::answer_of<std::vector<storage::RunRow>>(
            [&](auto then) { store.list({.workflows = {workflow}}, std::move(then)); });
    }
    std::multiset<std::string> started_keys(bool only_done) {
        std::multiset<std::string> keys;
        for (const auto& row : rows("turning"))
            if (!only_done || row.status == RunStatus::done) keys.insert(row.start_key);
        return keys;
    }
    /// The number of runs that the schedules have started.
    std::int64_t started() {
        std::int64_t all = 0;
        for (const auto& each : weft::testing::await(list(store))) all += each.event.started;
        return all;
    }
    void pass(std::chrono::seconds time) {
        for (auto passed = 0s; passed < time; passed += pace) {
            clock.advance(pace);
            beat();
        }
    }
    /// Lets time pass until this holds: engines that meet at a run try again later by the clock.
    template <class Done> void pass_until(const Done& done) {
        for (int rounds = 0; !done() && rounds < 1000; ++rounds) pass(pace);
    }
    /// The keys of the runs for all times up to this one.
    std::multiset<std::string> keys_until(Time end) const {
        std::multiset<std::string> keys;
        for (const auto& [name, interval] : intervals)
            for (auto at = begin + interval; at <= end; at += interval)
                keys.insert("schedule:" + name + '@' + to_json(at).get<std::string>());
        return keys;
    }
};
}

TEST_CASE("each time starts one run when one of three engines leaves, and another loses its lease and returns") {
    Team team(3);
    for (const auto& [name, interval] : intervals) team.add(name, interval);
    team.pass(60s);

    team.members[0]->engine->leave_all(0ms);
    team.members[0]->engine.reset();
    team.pass(60s);
    team.members[1]->connection.fail(0, FailingStore::FailureMode::from_now_on);
    team.members[1]->is_cut = true;
    team.pass(lease + 30s);
    team.members[1]->connection.fail_no_more();
    team.members[1]->is_cut = false;
    team.pass(60s);

    const auto expected = team.keys_until(team.now());
    team.pass_until([&] {
        return team.started() >= std::int64_t(expected.size()) &&
               std::ranges::includes(team.started_keys(true), expected);
    });
    CHECK(std::ranges::includes(team.started_keys(true), expected));
    const auto started = team.started();  // read first: the engines go on
    const auto all = team.started_keys(false);
    CHECK(std::ranges::includes(team.keys_until(team.now()), all));  // no time twice, and no other time
    CHECK(started >= std::int64_t(expected.size()));
    CHECK(started <= std::int64_t(all.size()));
}
