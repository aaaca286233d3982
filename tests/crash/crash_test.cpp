// kill -9 at an operation of a durable run on a disk, and again while the next process continues the run: its output
// is true, and stored work happens once. The test tries some of all operations, with WEFT_CRASH_ALL=1 all.
#include "engine/json.hpp"
#include "tests/crash/kill.hpp"
#include "tests/crash/scenario.hpp"
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <random>
#include <set>
using namespace crash;

namespace {
constexpr std::size_t tried_usually = 28;

std::vector<Place> places_of(const std::string& operations, std::size_t requests) {
    std::vector<Place> places;
    for (std::size_t i = 0; i < operations.size(); ++i)
        for (const char* phase : {"before", "within", "after"})
            if (operations[i] == 'w' || std::string_view(phase) != "within")
                places.push_back({.kill = std::to_string(i + 1) + ' ' + phase});
    for (std::size_t i = 1; i <= requests; ++i)
        for (auto phase : {AskedServer::Phase::before, AskedServer::Phase::within, AskedServer::Phase::after})
            places.push_back({.kill = {}, .request = i, .phase = phase});
    return places;
}
/// Returns as many places as there is time for, evenly spread, with the first and the last.
std::vector<Place> chosen(std::vector<Place> all) {
    const auto wanted = std::getenv("WEFT_CRASH_ALL") ? all.size() : tried_usually;
    if (all.size() <= wanted) return all;
    std::vector<Place> some;
    for (std::size_t i = 0; i < wanted; ++i) some.push_back(all[i * (all.size() - 1) / (wanted - 1)]);
    return some;
}
void try_all(Story story) {
    Findings clean;
    Scenario whole(story);
    whole.play({}, "start", clean);
    REQUIRE_FALSE(whole.last().killed);
    story.result = whole.last().said(story.word());
    REQUIRE_FALSE(story.result.empty());
    const auto operations = whole.last().said("operations ");
    const auto places = chosen(places_of(operations, whole.asked()));
    std::minstd_rand random(7);
    Findings findings;
    const char* ways[] = {"start", "resume", "recover"};
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::vector<Place> deaths{places[i]};
        for (int again = 0; i % 3 == 2 && again < 2; ++again)
            deaths.push_back({.kill = std::to_string(1 + random() % (operations.size() / 2)) +
                                      (random() % 2 ? " after" : " within")});
        const auto before = findings.lost.size() + findings.doubled.size();
        Scenario(story).play(deaths, ways[i % 3], findings);
        if (findings.lost.size() + findings.doubled.size() > before)
            MESSAGE("killed at '", deaths.front().kill, "' or request ", deaths.front().request, ", ", deaths.size(),
                    " places");
    }
    std::printf("%s: kills %zu, runs resumed %zu, lost %zu, doubled %zu, model calls repeated %zu (at most "
                "one a kill)\n",
                story.workflow.c_str(), findings.killed, findings.resumed, findings.lost.size(),
                findings.doubled.size(), findings.repeated);
    for (auto& what : findings.lost) MESSAGE("lost: ", what);
    for (auto& what : findings.doubled) MESSAGE("doubled: ", what);
    CHECK(findings.lost.empty());
    CHECK(findings.doubled.empty());
    CHECK(clean.lost.empty());
    CHECK(clean.doubled.empty());
    CHECK(findings.killed >= places.size());
}
}

TEST_CASE("a killed run of react resumes to the same answer, wherever it was killed, and remembers it once") {
    try_all({.workflow = "react", .remembered = 1});
}
TEST_CASE("a killed run of reflect resumes with its sub-questions to the same answer, wherever it was killed") {
    try_all({.workflow = "reflect", .remembered = 3});
}
TEST_CASE("a killed run of research looks at no table again whose finding is stored") {
    try_all({.workflow = "research"});
}
TEST_CASE("a killed run of refund asks its question and takes the answer, wherever it was killed") {
    try_all({.workflow = "refund"});
}
TEST_CASE("a killed run of naps has one end for each nap, and none is shorter, wherever it was killed") {
    try_all({.workflow = "naps"});
}
TEST_CASE("a killed run of signals takes each signal once, also if each process sends it, wherever it was killed") {
    try_all({.workflow = "signals"});
}
TEST_CASE("a killed call that enqueues many runs has stored whole thousands, and a second call adds the others once") {
    const test::Folder whole;
    const auto clean = run_worker({.workflow = "many", .folder = whole.path(""), .url = "http://127.0.0.1:9"});
    REQUIRE(clean.said("result ") == std::to_string(many));
    std::size_t killed = 0, lost = 0, doubled = 0;
    for (auto& place : chosen(places_of(clean.said("operations "), 0))) {
        CAPTURE(place.kill);
        const test::Folder folder;
        Work work{.workflow = "many", .folder = folder.path(""), .url = "http://127.0.0.1:9"};
        work.kill = place.kill;
        killed += run_worker(work).killed;
        const auto before = read_rows(folder.path("")).size();
        CHECK((before % weft::storage::most_new_runs == 0 || before == many));
        work.kill.clear();
        CHECK(run_worker(work).said("result ") == std::to_string(many - before));
        std::set<std::string> keys;
        const auto rows = read_rows(folder.path(""));
        for (auto& row : rows)
            if (row.next_seq == 1 && row.status == weft::RunStatus::ready) keys.insert(row.start_key);
        lost += many - keys.size();
        doubled += rows.size() - keys.size();
    }
    std::printf("many: kills %zu, lost %zu, doubled %zu\n", killed, lost, doubled);
    CHECK(killed > 0);
    CHECK(lost == 0);
    CHECK(doubled == 0);
}
TEST_CASE("a killed burst of starts has left one run with its last start or none, and a second burst replaces it") {
    Work work{.workflow = "burst", .folder = {}, .url = "http://127.0.0.1:9"};
    const test::Folder whole;
    work.folder = whole.path("");
    const auto clean = run_worker(work);
    REQUIRE(clean.said("result ") == std::to_string(burst));
    std::size_t killed = 0, lost = 0, doubled = 0;
    for (auto& place : chosen(places_of(clean.said("operations "), 0))) {
        CAPTURE(place.kill);
        const test::Folder folder;
        work.folder = folder.path("");
        const auto order = [&] {  // of the only run
            const auto stored = read_store(folder.path(""));
            if (stored.ticks.empty()) return 0;
            CHECK(stored.ticks.size() == 1);
            CHECK(weft::storage::waits_to_begin(stored.row));
            return std::stoi(stored.ticks[0].at("events").at(0).at("data").at("order").get<std::string>());
        };
        const auto runs = [&] { return read_rows(folder.path("")).size(); };
        work.kill = place.kill;
        const auto ended = run_worker(work);
        killed += ended.killed;
        const auto told = std::atoi(ended.said("stored ").c_str());
        lost += order() < told;
        CHECK(order() <= told + 1);
        doubled += runs() > 1;
        work.kill.clear();
        CHECK(run_worker(work).said("result ") == std::to_string(burst));
        lost += order() != burst;
        doubled += runs() != 1;
    }
    std::printf("burst: kills %zu, lost %zu, doubled %zu\n", killed, lost, doubled);
    CHECK(killed > 0);
    CHECK(lost == 0);
    CHECK(doubled == 0);
}
TEST_CASE("a killed schedule starts one run for each of its times, wherever it was killed") {
    Work work{.workflow = "schedule", .folder = {}, .url = "http://127.0.0.1:9"};
    const test::Folder whole;
    work.folder = whole.path("");
    const auto clean = run_worker(work);
    REQUIRE(clean.said("result ") == "kept");
    std::size_t killed = 0, lost = 0, doubled = 0;
    for (auto& place : chosen(places_of(clean.said("operations "), 0))) {
        CAPTURE(place.kill);
        const test::Folder folder;
        work.folder = folder.path("");
        work.kill = place.kill;
        killed += run_worker(work).killed;
        work.kill.clear();
        CHECK(run_worker(work).said("result ") == "kept");
        std::set<weft::schedule::Time> times;
        std::size_t started = 0;
        for (auto& row : read_rows(folder.path(""))) {
            if (row.workflow != "alarm_clock") continue;
            ++started;
            const nlohmann::json time = row.start_key.substr(row.start_key.find('@') + 1);
            times.insert(weft::from_json<weft::schedule::Time>(time));
        }
        const auto state = read_schedule(folder.path(""));
        REQUIRE(times.size() >= missed);
        lost += std::size_t((*times.rbegin() - *times.begin()).count()) + 1 - times.size();
        doubled += started - times.size();
        CHECK(std::size_t(state.started) <= started);  // its last round may not be stored yet
        CHECK(std::size_t(state.started) + 1 >= started);
        for (auto& firing : state.firings) CHECK(firing.kind == weft::schedule::FiringKind::started);
    }
    std::printf("schedule: kills %zu, lost %zu, doubled %zu\n", killed, lost, doubled);
    CHECK(killed > 0);
    CHECK(lost == 0);
    CHECK(doubled == 0);
}
TEST_CASE("a killed run of laps begins again after each lap, and does no lap again, wherever it was killed") {
    try_all({.workflow = "laps", .begins_again = true});
}
TEST_CASE("a killed saga that is cancelled in its third booking undoes each booking once, wherever it was killed") {
    try_all({.workflow = "saga", .undoes = true});
}
TEST_CASE("a clock jump between two processes lengthens no attempt's wait, and a deadline is a date") {
    const auto clean = run_worker(
        {.workflow = "alarm_clock", .folder = test::Folder().path(""), .url = "http://127.0.0.1:9"});
    CHECK(clean.said("result ") == R"({"attempt":3})");
    const auto operations = clean.said("operations ");
    std::size_t timed_out = 0, rung = 0;
    for (std::size_t i = 0; i < operations.size(); ++i)
        for (long jump : {-3600L, 3600L}) {
            if (operations[i] != 'a') continue;
            CAPTURE(i);
            CAPTURE(jump);
            const test::Folder folder;
            Work work{.workflow = "alarm_clock", .folder = folder.path(""), .url = "http://127.0.0.1:9"};
            work.kill = std::to_string(i + 1) + " before";
            const auto killed = run_worker(work);
            REQUIRE(killed.killed);
            work.kill.clear();
            work.clock_shift_s = jump;
            const auto ended = run_worker(work);
            if (jump > 0 && ended.count("failed ")) {
                ++timed_out;
                CHECK(ended.said("failed ") == "the run has not ended within 1800 s");
            } else {
                ++rung;
                CHECK(ended.said("result ") == R"({"attempt":3})");
            }
        }
    CHECK(timed_out > 2);
    CHECK(rung > timed_out);
}
