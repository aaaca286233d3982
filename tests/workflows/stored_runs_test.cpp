// Lists and descriptions of stored runs, from rows and ticks in an engine's form.
#include "engine/clock.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/json.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/text/iso_time.hpp"
#include "tests/workflows/stored.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include <doctest/doctest.h>
#include <limits>
using namespace weft;
using namespace weft::storage;
using namespace weft::catalog;
using stored::answered;
using stored::asked;
using stored::put;
using stored::started;

namespace {
std::vector<std::string> ids(const std::vector<ListedRun>& runs) {
    std::vector<std::string> all;
    for (auto& run : runs) all.push_back(run.id);
    return all;
}
std::vector<journal::JournalEntry> ticks_of(const nlohmann::json& bodies) {
    History history;
    history.ticks = stored::ticks_of(bodies);
    return journal::read_entries(history);
}
nlohmann::json line_of(const nlohmann::json& body) {
    return journal::line_for_programs(stored::ticks_of(nlohmann::json::array({body})).at(0), utc);
}
bool by_name(const std::string& event, const std::string& question) {
    return event == "ApprovalEvent" ? question == "ApprovalRequestEvent" : question == "OtherQuestionEvent";
}
std::vector<std::string> open(const nlohmann::json& bodies, const std::vector<Mail>& mail = {}) {
    std::vector<std::string> all;
    for (auto& each : open_questions(ticks_of(bodies), mail, by_name))
        all.push_back(each.question + (each.answered ? " answered" : ""));
    return all;
}
using Texts = std::vector<std::string>;
}

TEST_CASE("a row of which only id and times are readable is shown as damaged") {
    RunRow row;
    row.id = "a";
    row.status = RunStatus::running;
    CHECK(describe(row, false).status == "damaged");
    row.workflow = "refund";
    CHECK(describe(row, false).status == "interrupted");
}
TEST_CASE("runs are listed the newest first, by status and workflow, up to the requested number") {
    std::int64_t now = 0;
    MemoryStore store([&now] { return ++now; });
    put(store, {{"id", "a"}, {"status", "done"}});
    put(store, {{"id", "b"}, {"status", "waiting"}, {"workflow", "hello"}});
    put(store, {{"id", "c"}, {"status", "running"}});
    put(store, {{"id", "d"}});

    CHECK(ids(list_runs(store, {}, true)) == Texts{"d", "c", "b", "a"});
    CHECK(ids(list_runs(store, {.most = 2}, true)) == Texts{"d", "c"});
    CHECK(ids(list_runs(store, {.statuses = {"done", "waiting"}}, true)) == Texts{"b", "a"});
    CHECK(ids(list_runs(store, {.statuses = {"done", "waiting"}, .workflows = {"hello"}}, true)) == Texts{"b"});
}
TEST_CASE("a running run counts as interrupted when no engine has it, and is found by that status") {
    MemoryStore store;
    put(store, {{"id", "c"}, {"status", "running"}});

    CHECK(list_runs(store, {}, true).at(0).status == "running");
    CHECK(list_runs(store, {}, false).at(0).status == "interrupted");
    CHECK(list_runs(store, {.statuses = {"interrupted"}}, false).size() == 1);
    CHECK(list_runs(store, {.statuses = {"running"}}, false).empty());
    CHECK(list_runs(store, {.statuses = {"running"}}, true).size() == 1);
    CHECK(list_runs(store, {.statuses = {"interrupted"}}, true).empty());
}
TEST_CASE("a waiting run is found by its status") {
    std::int64_t now = 0;
    MemoryStore store([&now] { return ++now; });
    const auto mail = nlohmann::json::parse(
        R"([{"id": "m", "body": {"event": "ApprovalEvent", "data": {"granted": true}, "question": 1}}])");
    const nlohmann::json one = {started(), asked(1)}, two = {started(), asked(1), asked(2)};
    put(store, {{"id", "half"}, {"status", "waiting"}, {"ticks", two}, {"mail", mail}, {"waits_for", "two answers"}});
    put(store, {{"id", "whole"}, {"status", "waiting"}, {"ticks", one}, {"mail", mail}, {"waits_for", "an answer"}});
    put(store, {{"id", "killed"}, {"status", "running"}, {"ticks", one}, {"waits_for", "an answer"}});
    put(store, {{"id", "forked"}, {"ticks", one}});
    put(store, {{"id", "begun"}});
    put(store, {{"id", "done"}, {"status", "done"}, {"ticks", one}});
    const auto told = [&](bool has_engine, std::size_t ticks = 100) {
        Texts all;
        for (auto& run : list_runs(store, {.statuses = {"waiting"}, .ticks = ticks}, has_engine))
            all.push_back(run.id + ' ' + run.status + ' ' + run.waits_for.value_or("?"));
        return all;
    };
    const std::string looked_up = " ready an answer to ApprovalRequestEvent (ApprovalEvent)";

    CHECK(told(false) == Texts{"forked" + looked_up, "killed interrupted an answer", "half" + looked_up});
    CHECK(told(true).at(1) == "killed running an answer");
    CHECK(told(false, 0) == Texts{"forked ready ?", "killed interrupted an answer", "whole ready ?", "half ready ?"});
    CHECK(ids(list_runs(store, {.statuses = {"ready"}, .ticks = 100}, false)) ==
          Texts{"begun", "forked", "whole", "half"});
}
TEST_CASE("a listing reads a bounded number of records, and a run whose records were not read says so") {
    std::int64_t now = 0;
    MemoryStore store([&now] { return ++now; });
    for (const auto* id : {"a", "b"}) put(store, {{"id", id}, {"ticks", {started(), asked(1), asked(2)}}});

    const auto runs = list_runs(store, {.ticks = 5}, false);
    REQUIRE(ids(runs) == Texts{"b", "a"});
    CHECK(runs[0].waits_for == "2 answers to ApprovalRequestEvent (ApprovalEvent)");
    CHECK_FALSE(runs[0].is_unread);
    CHECK_FALSE(runs[1].waits_for);
    CHECK(runs[1].is_unread);
}
TEST_CASE("a workflow is known if the catalogue has it, or a run of the store") {
    MemoryStore store;
    put(store, {{"id", "a"}, {"workflow", "of_another_program"}});

    check_workflows(store, {"react", "of_another_program"});
    CHECK_THROWS_WITH_AS(check_workflows(store, {"raect"}), doctest::Contains("there is no workflow \"raect\""), Error);
}
TEST_CASE("an unfinished run's description shows a pending cancel") {
    MemoryStore store;
    const auto cancel = nlohmann::json::parse(R"([{"id": "weft:cancel", "body": {"cancel": true}}])");
    put(store, {{"id", "a"}, {"status", "waiting"}, {"ticks", {started(), asked(1)}}});
    put(store, {{"id", "b"}, {"status", "waiting"}, {"ticks", {started(), asked(1)}}, {"mail", cancel}});
    const auto is_to_end = [&](const char* id) {
        const auto history = stored::load(store, id);
        return describe(history, journal::read_entries(history), false).to_be_cancelled;
    };

    CHECK_FALSE(is_to_end("a"));
    CHECK(is_to_end("b"));
}
TEST_CASE("a question's id is always a text, and begins with the path of a child run") {
    const auto told = [](nlohmann::json tick) { return line_of(tick); };
    auto of_child = asked(1);
    of_child["run"] = "4.1.1.0";

    CHECK(told(asked(1)).at("asked").at(0).at("question") == "1");
    CHECK(told(of_child).at("asked").at(0).at("question") == "4.1.1.0#1");
    CHECK(told(answered(7)).at("question") == "7");
    CHECK_FALSE(told(answered()).contains("question"));
}
TEST_CASE("a listed run has its times in ISO 8601, its options as an object, and null for missing members") {
    MemoryStore store([] { return stored::noon + 7'000; });
    put(store,
        {{"id", "a"}, {"status", "waiting"}, {"options", {{"model", "script:x"}}}, {"waits_for", "an approval"}});
    put(store, {{"id", "b"}});

    const auto waiting = to_json(describe(find_run(store, "a"), true));
    CHECK(waiting == nlohmann::json::parse(R"({"id": "a", "workflow": "refund", "status": "waiting",
        "waits_for": "an approval", "sleeps_until": null, "created": "2026-11-22T12:00:00.007Z",
        "updated": "2026-11-22T12:00:00.007Z",
        "forked_from": null, "options": {"model": "script:x"}})"));
    CHECK(to_json(describe(find_run(store, "b"), true)).at("waits_for").is_null());
}
TEST_CASE("a run tells until when it sleeps, or waits to begin, and a deadline is no sleep") {
    RunRow row;
    row.id = "a";
    row.workflow = "refund";
    row.status = RunStatus::waiting;
    row.epoch = 1;
    row.wake_at = stored::noon;
    row.waits_for = "an answer to ApprovalRequestEvent";
    CHECK_FALSE(describe(row, true).sleeps_until);
    row.waits_for += ", the end of a sleep at 2026-11-22T12:00:00.000Z";
    CHECK(describe(row, true).sleeps_until == "2026-11-22T12:00:00.000Z");
    row.waits_for.clear();
    row.epoch = 0;
    CHECK(describe(row, true).sleeps_until == "2026-11-22T12:00:00.000Z");
    CHECK(describe(row, true).waits_for == "until 2026-11-22T12:00:00.000Z");
    row.wake_at.reset();
    row.status = RunStatus::ready;
    CHECK_FALSE(describe(row, true).sleeps_until);
}
TEST_CASE("times up to the year 9999 are written, and others become the nearest of them") {
    CHECK(utc(0) == "1970-01-01T00:00:00.000Z");
    CHECK(utc(951'782'400'123'999) == "2000-02-29T00:00:00.123Z");
    CHECK(utc(-1) == "1970-01-01T00:00:00.000Z");
    CHECK(utc(std::numeric_limits<std::int64_t>::max()) == "9999-12-31T23:59:59.999Z");
}
TEST_CASE("a time is written correctly after any other time") {
    const auto at = [](std::int64_t microseconds) {
        return iso_time(WallTime(std::chrono::microseconds(microseconds)));
    };
    CHECK(at(951'782'400'123'006) == "2000-02-29T00:00:00.123006+00:00");
    CHECK(at(951'782'400'999'999) == "2000-02-29T00:00:00.999999+00:00");
    CHECK(utc(951'782'400'007'999) == "2000-02-29T00:00:00.007Z");
    CHECK(at(951'782'401'000'000) == "2000-02-29T00:00:01.000000+00:00");
    CHECK(at(951'782'400'000'000) == "2000-02-29T00:00:00.000000+00:00");
    CHECK(at(-1) == "1969-12-31T23:59:59.999999+00:00");
}
TEST_CASE("a run is found by the beginning of its id, and an ambiguous beginning lists its runs") {
    MemoryStore store;
    for (const auto* id : {"abc", "abd", "ab", "x1"}) put(store, {{"id", id}});

    CHECK(find_run(store, "x").id == "x1");
    CHECK(find_run(store, "ab").id == "ab");  // a whole id is not the beginning of others
    CHECK(find_run(store, "abc").id == "abc");
    CHECK_THROWS_WITH_AS(find_run(store, "a"), doctest::Contains("3 runs begin with a: "), Error);
    CHECK_THROWS_WITH_AS(find_run(store, "y"), "the store has no run y; `weft runs` lists those that it has", Error);
    CHECK_THROWS_AS(find_run(store, ""), Error);
}
TEST_CASE("slots have their last whole values, and lists all appended items") {
    const auto slots = journal::fold_slots(
        ticks_of({{{"tick", "arrived"}, {"at", 1}, {"slots", {{"spent", {{"n", 1}}}}}},
                  {{"tick", "finished"}, {"at", 2}, {"appended", {{"log", {1, 2}}}}},
                  {{"tick", "finished"}, {"at", 3}, {"run", "ask/0"}, {"slots", {{"spent", 9}}}},
                  {{"tick", "finished"},
                   {"at", 4},
                   {"slots", {{"spent", {{"n", 2}}}}},
                   {"appended", {{"log", nlohmann::json::array({3})}}}}}));

    CHECK(nlohmann::json(slots) == nlohmann::json::parse(R"({"spent": {"n": 2}, "log": [1, 2, 3]})"));
}
TEST_CASE("an answer closes its addressed question, else the oldest question that it can answer") {
    auto other = asked(3);
    other["asked"][0]["event"] = "OtherQuestionEvent";

    CHECK(open({started(), asked(1), asked(2)}) == Texts{"1", "2"});
    CHECK(open({started(), asked(1), asked(2), answered(2)}) == Texts{"1"});
    CHECK(open({started(), asked(1), asked(2), answered()}) == Texts{"2"});
    CHECK(open({started(), other, asked(1), answered()}) == Texts{"3"});
    CHECK(open({started(), other, answered()}) == Texts{"3"});
    CHECK(open({started(), asked(1), answered(7)}) == Texts{"1"});
}
TEST_CASE("answers in the inbox mark their questions") {
    const Mail plain{"a", "m1", R"({"event": "ApprovalEvent", "data": {}})"};
    const Mail addressed{"a", "m2", R"({"event": "ApprovalEvent", "data": {}, "question": 2})"};
    const Mail cancel{"a", "m3", R"({"cancel": true})"}, broken{"a", "m4", "{"};
    const nlohmann::json ticks = {started(), asked(1), asked(2)};

    CHECK(open(ticks, {plain}) == Texts{"1 answered", "2"});
    CHECK(open(ticks, {addressed}) == Texts{"1", "2 answered"});
    CHECK(open(ticks, {plain, plain}) == Texts{"1 answered", "2 answered"});
    CHECK(open(ticks, {cancel, broken}) == Texts{"1", "2"});
}
TEST_CASE("a question of a child run is closed by an event to that child, and by the child's end") {
    auto of_child = asked(1);
    of_child["run"] = "ask/0";
    auto to_child = answered();
    to_child["run"] = "ask/0";
    const nlohmann::json ended = {{"tick", "ended"}, {"at", 9}, {"run", "ask/0"}};

    CHECK(open({started(), of_child, answered()}) == Texts{"ask/0#1"});
    CHECK(open({started(), of_child, to_child}).empty());
    CHECK(open({started(), of_child, asked(1), ended}) == Texts{"1"});
    CHECK(open({started(), of_child, asked(1), {{"tick", "ended"}, {"at", 9}}}).empty());
}
TEST_CASE("a tick is a line with its number, kind and times, and keeps unknown members") {
    auto body = asked(1);
    body["due"] = stored::noon;
    body["later_version"] = 1;
    const auto line = line_of(body);

    CHECK(line.at("tick") == 0);
    CHECK(line.at("kind") == "finished");
    CHECK(line.at("step") == "review");
    CHECK(line.at("at") == "2026-11-22T12:00:01.500Z");
    CHECK(line.at("due") == "2026-11-22T12:00:00.000Z");
    CHECK(line.at("events").at(0).at("data").at("question") == "granted?");
    CHECK(line.at("slots") == nlohmann::json::object());
    CHECK(line.at("later_version") == 1);
    CHECK(line_of(started()).at("step").is_null());
}
TEST_CASE("an invalid record is an error that names run and record") {
    History history;
    history.run.id = "a1";
    history.ticks = stored::ticks_of({started(), {{"tick", "finished"}}});

    CHECK_THROWS_WITH_AS(journal::read_entries(history),
                         doctest::Contains("run a1: tick 1 cannot be read by this version"), Error);
}
TEST_CASE("a run's description has its outcome, its slots and its open questions with their data") {
    MemoryStore store;
    put(store, {{"id", "a"}, {"status", "waiting"}, {"ticks", {started(), asked(1)}}, {"key", "A-17"}});
    put(store, {{"id", "b"},
                {"status", "done"},
                {"ticks", {started(), asked(1)}},
                {"outcome", {{"event", "DecisionEvent"}, {"data", {{"granted", true}}}}}});
    const auto shown = [&](const char* id) {
        const auto history = stored::load(store, id);
        return to_json(describe(history, journal::read_entries(history), true));
    };

    CHECK(shown("a").at("key") == "A-17");
    CHECK(shown("a").at("outcome").is_null());
    CHECK(shown("a").at("questions") ==
          nlohmann::json::parse(R"([{"question": "1", "event": "ApprovalRequestEvent", "run": null, "answered": false,
              "data": {"question": "granted?"}, "asked": "2026-11-22T12:00:01.500Z"}])"));
    CHECK(shown("b").at("outcome").at("event") == "DecisionEvent");
    CHECK(shown("b").at("questions").empty());
}
