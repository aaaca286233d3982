// Exports of runs as lines and their imports, also of damaged lines.
#include "engine/error.hpp"
#include "engine/store/memory_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/workflows/stored.hpp"
#include "workflows/catalog/stored/run_file.hpp"
#include "workflows/catalog/stored/run_lines.hpp"
#include <doctest/doctest.h>
#include <sstream>
using namespace weft;
using namespace weft::storage;
using namespace weft::catalog;
using stored::answer_of;
using stored::asked;
using stored::put;
using stored::started;

namespace {
using Lines = std::vector<std::string>;

void put_both(Store& store) {
    put(store, {{"id", "a1"},
                {"status", "waiting"},
                {"ticks", {started(), asked(1)}},
                {"waits_for", "an approval"},
                {"options", {{"model", "x"}}},
                {"key", "A-17"},
                {"mail", {{{"id", "m1"}, {"body", {{"event", "ApprovalEvent"}}}}}}});
    put(store, {{"id", "b2"}, {"status", "done"}, {"outcome", {{"event", "DecisionEvent"}}}});
}
Lines exported(Store& store, const Lines& ids = {"a1", "b2"}) {
    Lines all;
    export_runs(store, ids, [&](std::string_view line) { all.emplace_back(line); });
    return all;
}
Lines import_lines(Store& store, const Lines& lines, const std::string& end = "\n",
                   const Import::SetClock& set_clock = {}) {
    std::string text;
    for (auto& line : lines) text += line + '\n';
    text.resize(text.size() - 1 + (end.empty() ? 0 : 1));
    std::istringstream in(text);
    return Import(in, "runs.jsonl").into(store, set_clock);
}
/// A store that takes its date from each caller, as PostgreSQL does. A worker sends a heartbeat before each batch.
class LaterBeats final : public MemoryStore {
public:
    LaterBeats() : MemoryStore([this] { return now; }) {}
    void append(Batch batch, Then<AppendReply> then) override {
        const auto of_caller = std::exchange(now, wall_microseconds());
        heartbeat({"worker", 10'000, ""}, [](const std::exception_ptr&, const HeartbeatReply&) {});
        now = of_caller;
        MemoryStore::append(std::move(batch), std::move(then));
    }
    std::int64_t now = wall_microseconds();
};
std::size_t size(Store& store) {
    return stored::answer_of<std::vector<RunRow>>([&](auto then) { store.list({}, std::move(then)); }).size();
}
}

TEST_CASE("exported and imported runs keep all data; unfinished ones are ready") {
    MemoryStore from, to;
    put_both(from);

    CHECK(import_lines(to, exported(from)) == Lines{"a1", "b2"});

    const auto before = stored::load(from, "a1"), after = stored::load(to, "a1");
    CHECK(after.run.status == RunStatus::ready);
    CHECK(after.run.start_key == "A-17");
    CHECK(after.run.options == before.run.options);
    CHECK(after.run.waits_for == before.run.waits_for);
    CHECK(after.run.hash == "h1");
    REQUIRE(after.ticks.size() == 2);
    CHECK(after.ticks[1].body == before.ticks[1].body);
    CHECK(after.ticks[1].sum == before.ticks[1].sum);
    REQUIRE(after.mail.size() == 1);
    CHECK(after.mail[0].id == "m1");
    CHECK(after.mail[0].body == before.mail[0].body);
    CHECK(stored::load(to, "b2").run.status == RunStatus::done);
    CHECK(stored::load(to, "b2").run.outcome == R"({"event":"DecisionEvent"})");
}
TEST_CASE("a run that waits for its first time does so after an import") {
    std::int64_t now = 1000;
    MemoryStore from([&now] { return now; }), to([&now] { return now; });
    NewRun later{.id = "a1", .plan = {.hash = "h1", .workflow = "refund", .plan = "{}"}, .not_before = 5000};
    later.ticks = stored::ticks_of(nlohmann::json::array({started()}));
    answer_of<CreateReply>([&](auto then) { from.create(later, std::move(then)); });

    import_lines(to, exported(from, {"a1"}));

    const auto run = stored::load(to, "a1").run;
    CHECK(run.status == RunStatus::waiting);
    CHECK(run.wake_at == 5000);
}
TEST_CASE("an exported run that has begun again keeps the numbers of its ticks") {
    MemoryStore from, to;
    put(from, {{"id", "x1"}, {"status", "running"}, {"ticks", {started(), asked(1)}}});
    const auto body = started("B").dump();
    Batch again{.run = "x1", .epoch = 1, .seq = 2, .ticks = {{2, body, chained_sum(0, 2, body)}}, .begins_again = true};
    stored::answer_of<AppendReply>([&](auto then) { from.append(std::move(again), std::move(then)); });

    CHECK(import_lines(to, exported(from, {"x1"})) == Lines{"x1"});

    const auto after = stored::load(to, "x1");
    REQUIRE(after.ticks.size() == 1);
    CHECK(after.ticks[0].seq == 2);
    CHECK(after.ticks[0].body == body);
    CHECK(after.run.next_seq == 3);
}
TEST_CASE("an import restores the times of runs if the store's clock can be set, and sets no future time") {
    std::int64_t now = 1000;
    MemoryStore from([&now] { return now++; }), to([&now] { return now; });
    put_both(from);
    const auto set_now = [&now](std::int64_t time) { now = time; };

    import_lines(to, exported(from, {"b2", "a1"}), "\n", set_now);

    for (const auto* id : {"a1", "b2"}) {
        const auto before = stored::load(from, id).run, after = stored::load(to, id).run;
        CHECK(after.created_at == before.created_at);
        CHECK(after.updated_at == before.updated_at);
    }

    MemoryStore tomorrow([] { return stored::noon * 2; }), later([&now] { return now; });
    put(tomorrow, {{"id", "d4"}});
    import_lines(later, exported(tomorrow, {"d4"}), "\n", set_now);
    CHECK(stored::load(later, "d4").run.created_at < stored::noon * 2);
}
TEST_CASE("an import keeps its runs until they are complete when workers of the store send heartbeats") {
    MemoryStore from;
    stores::BeatingStore to;
    to.share();
    put_both(from);

    CHECK(import_lines(to, exported(from)) == Lines{"a1", "b2"});

    CHECK(to.beats < 1'000'000);
    const auto after = stored::load(to, "a1");
    CHECK(after.run.status == RunStatus::ready);
    CHECK(after.run.takeovers == 0);
    CHECK(after.mail.size() == 1);
    CHECK(stored::load(to, "b2").run.status == RunStatus::done);
}
TEST_CASE("an import keeps its runs when it gives the store their dates, and workers send heartbeats at later ones") {
    MemoryStore from([] { return stored::noon; });
    put_both(from);
    LaterBeats to;
    to.share();

    CHECK(import_lines(to, exported(from), "\n", [&to](std::int64_t time) { to.now = time; }) == Lines{"a1", "b2"});

    CHECK(stored::load(to, "a1").run.takeovers == 0);
    CHECK(stored::load(to, "a1").mail.size() == 1);
    CHECK(stored::load(to, "b2").run.status == RunStatus::done);
}
TEST_CASE("an export leaves a damaged run out and names it, and has a run once that was requested twice") {
    MemoryStore from, to;
    put_both(from);
    put(from, {{"id", "x1"}, {"status", "running"}});
    Batch wrong{.run = "x1", .epoch = 1, .seq = 1, .ticks = {{1, "{}", 7}}};
    stored::answer_of<AppendReply>([&](auto then) { from.append(std::move(wrong), std::move(then)); });
    put(from, {{"id", "y1"}, {"ticks", {{{"tick", 7}}}}});
    Lines lines;

    const auto left_out = export_runs(from, {"a1", "x1", "b2", "y1", "a1"},
                                      [&](std::string_view line) { lines.emplace_back(line); });

    REQUIRE(left_out.size() == 2);
    CHECK(left_out[0] == "run x1: tick 1 is damaged, or the tick before it: its sum does not fit, and the run cannot "
                         "continue; the export leaves run x1 out");
    CHECK(left_out[1].find("run y1: tick 0 cannot be read") == 0);
    CHECK(import_lines(to, lines) == Lines{"a1", "b2"});
}
TEST_CASE("a file with a run twice, or two with one key, is refused before a store is needed") {
    MemoryStore from;
    put_both(from);
    auto lines = exported(from, {"a1"});
    const auto text_of = [](const Lines& objects) {
        lines::Sums sums;
        std::string text;
        for (auto& object : objects) text += sums.with_sum(object) + '\n';
        return text;
    };
    const auto without_sum = [](const std::string& line) {
        return '{' + line.substr(lines::begins.size() + lines::sum_digits + lines::goes_on.size());
    };
    for (auto& line : lines) line = without_sum(line);
    const Lines run(lines.begin() + 1, lines.end() - 1);
    lines.insert(lines.end() - 1, run.begin(), run.end());
    lines.back() = R"({"end":2})";
    std::istringstream twice(text_of(lines));
    CHECK_THROWS_WITH_AS(Import(twice, "runs.jsonl"), "runs.jsonl has the run a1 twice", Error);
    auto& second = lines[1 + run.size()];
    second.replace(second.find(R"("id":"a1")"), 9, R"("id":"a2")");
    std::istringstream key(text_of(lines));
    CHECK_THROWS_WITH_AS(Import(key, "runs.jsonl"), doctest::Contains("has the key A-17, as run a2"), Error);
}
TEST_CASE("an export has snapshots, and the plans of a run that was carried to another declaration") {
    MemoryStore from, to;
    put(from, {{"id", "c3"}, {"status", "running"}, {"ticks", {started(), asked(1)}}});
    Batch carried{.run = "c3", .epoch = 1, .seq = 2};
    carried.ticks = stored::ticks_of({started(), asked(1), {{"tick", "carried"}, {"at", 3}, {"hash", "h2"}}});
    carried.ticks.erase(carried.ticks.begin(), carried.ticks.begin() + 2);
    carried.plan = StoredPlan{"h2", "refund", "{}"};
    carried.snapshot = Snapshot{3, "{}", chained_sum(0, 3, "{}")};
    stored::answer_of<AppendReply>([&](auto then) { from.append(std::move(carried), std::move(then)); });

    import_lines(to, exported(from, {"c3"}));

    const auto after = stored::load(to, "c3");
    CHECK(after.run.hash == "h2");
    CHECK(after.run.status == RunStatus::ready);
    REQUIRE(after.snapshot);
    CHECK(after.snapshot->upto == 3);
    CHECK(after.snapshot->body == "{}");
    for (const auto* hash : {"h1", "h2"})
        CHECK(stored::answer_of<StoredPlan>([&](auto then) { to.plan(hash, std::move(then)); }).hash == hash);
}
TEST_CASE("an import refuses a change of any byte with its line, and stores nothing") {
    MemoryStore from, to;
    put_both(from);
    const auto lines = exported(from);

    for (std::size_t n = 0; n < lines.size(); ++n)
        for (std::size_t at = 0; at < lines[n].size(); at += 7) {
            auto damaged = lines;
            damaged[n][at] = damaged[n][at] == '0' ? '1' : '0';
            INFO(n, " ", at);
            CHECK_THROWS_WITH_AS(import_lines(to, damaged),
                                 doctest::Contains(("line " + std::to_string(n + 1)).c_str()), Error);
        }
    CHECK(size(to) == 0);
}
TEST_CASE("an import refuses missing, doubled or moved lines, and a truncated file") {
    MemoryStore from, to;
    put_both(from);
    const auto lines = exported(from);

    for (std::size_t n = 0; n < lines.size(); ++n) {
        auto missing = lines, doubled = lines, cut = lines;
        missing.erase(missing.begin() + long(n));
        doubled.insert(doubled.begin() + long(n), doubled[n]);
        cut.resize(n);
        INFO(n);
        CHECK_THROWS_AS(import_lines(to, missing), Error);
        CHECK_THROWS_AS(import_lines(to, doubled), Error);
        if (n)
            CHECK_THROWS_WITH_AS(import_lines(to, cut), doctest::Contains("is missing: the file was cut off"), Error);
    }
    CHECK_THROWS_WITH_AS(import_lines(to, lines, ""), doctest::Contains("is cut off"), Error);
    auto more = lines;
    more.emplace_back("x");
    CHECK_THROWS_WITH_AS(import_lines(to, more), doctest::Contains("comes after the end of the export"), Error);
    CHECK(size(to) == 0);
}
TEST_CASE("an import reads only exports of a known version") {
    MemoryStore to;
    lines::Sums sums, others;

    CHECK_THROWS_WITH_AS(import_lines(to, {sums.with_sum(R"({"weft_export":2})")}),
                         "runs.jsonl: line 1 says version 2, and this weft reads version 1", Error);
    CHECK_THROWS_WITH_AS(import_lines(to, {others.with_sum(R"({"other":1})")}),
                         "runs.jsonl: line 1 is not the first line of an export of weft", Error);
    CHECK_THROWS_WITH_AS(import_lines(to, {"{}"}), "runs.jsonl: line 1 is not the first line of an export of weft",
                         Error);
}
TEST_CASE("an import refuses an invalid line with correct checksums") {
    MemoryStore to;
    const auto with = [&](const std::string& line) {
        lines::Sums sums;
        Lines all = {sums.with_sum(R"({"weft_export":1})")};
        all.push_back(sums.with_sum(line));
        return all;
    };
    const std::string run = R"("run":{"id":"a","queue":"","start_key":"","forked_from":"","options":"","outcome":"",)"
                            R"("waits_for":"","status":"done","priority":0,"created_at":0,"updated_at":0})";
    const std::string plan = R"("plans":[{"hash":"h","workflow":"w","plan":""}])";

    CHECK_THROWS_WITH_AS(import_lines(to, with(R"({"run":7})")), doctest::Contains("line 2 is not the line of a run"),
                         Error);
    CHECK_THROWS_WITH_AS(import_lines(to, with('{' + run + R"(,"plans":[],"ticks":1,"mail":0,"snapshot":false})")),
                         doctest::Contains("without its workflow"), Error);
    CHECK_THROWS_WITH_AS(
        import_lines(to, with('{' + run + ',' + plan + R"(,"ticks":100001,"mail":0,"snapshot":false})")),
        doctest::Contains("100001 ticks"), Error);
    CHECK_THROWS_WITH_AS(import_lines(to, with('{' + run + ',' + plan + R"(,"ticks":1,"mail":0,"snapshot":false})")),
                         doctest::Contains("line 2 has no outcome"), Error);
    for (const std::string evil : {R"(a\nrm -r)", R"(\u001b[2J)", R"(a\u0000)", R"(a\u007f)"}) {
        auto other = run;
        other.replace(other.find(R"("id":"a")"), 8, R"("id":")" + evil + '"');
        CHECK_THROWS_WITH_AS(
            import_lines(to, with('{' + other + ',' + plan + R"(,"ticks":1,"mail":0,"snapshot":false})")),
            "runs.jsonl: line 2 is a run whose id has control characters, which no id has", Error);
    }
    CHECK(size(to) == 0);
}
TEST_CASE("an import refuses a run id that would change a terminal or a pasted command") {
    MemoryStore store;
    for (const auto* evil : {"a\nrm -r", "\x1B[2J", "a\x7F", "a\r"})
        CHECK_THROWS_WITH_AS(put(store, {{"id", evil}}), doctest::Contains("without control characters"), Error);
    CHECK(size(store) == 0);
}
TEST_CASE("an import of a known run, or of its key, stores nothing at all") {
    MemoryStore from, to, other;
    put_both(from);
    put(to, {{"id", "b2"}});
    put(other, {{"id", "z"}, {"key", "A-17"}});

    CHECK_THROWS_WITH_AS(import_lines(to, exported(from)), "the store has a run b2 already: nothing was imported",
                         Error);
    CHECK_THROWS_WITH_AS(import_lines(other, exported(from)), doctest::Contains("has the key A-17"), Error);
    CHECK(size(to) == 1);
    CHECK(size(other) == 1);
}
