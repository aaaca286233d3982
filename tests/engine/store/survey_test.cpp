// Surveys of a store's queues: waiting runs, present workers, and leaving workers.
#include "tests/engine/store/conformance.hpp"
#include <sstream>
using namespace stores;

namespace {
constexpr std::int64_t an_hour = 3600LL * 1'000'000;
storage::HeartbeatReply beat_with(Store& s, const std::string& id, const std::string& info,
                                  std::int64_t lease_ms = 10'000) {
    return answer_of<storage::HeartbeatReply>([&](auto then) { s.heartbeat({id, lease_ms, info}, then); });
}
storage::NewRun queued(const std::string& id, const std::string& queue, const std::string& hash = "h1") {
    auto run = run_of(id, "");
    run.queue = queue;
    run.plan.hash = hash;
    return run;
}
std::string text_of(const storage::Survey& survey) {
    std::ostringstream text;
    for (auto& r : survey.runs)
        text << r.queue << ' ' << r.workflow << ' ' << r.hash << ' ' << name(r.status) << ' ' << r.runs << ' '
             << r.taken_over << '\n';
    return text.str();
}
}
TEST_CASE("a survey counts unfinished runs by queue, workflow, declaration and status, with their oldest date") {
    on_every_store([](Store& store, House&) {
        CHECK(survey(store).runs.empty());
        for (auto id : {"a", "b"}) create(store, queued(id, "slow"));
        create(store, queued("c", "fast"));
        create(store, queued("d", "slow", "h2"));
        create(store, run_of("e", "ann"));
        create(store, run_of("f", "ann"));
        auto end = batch_of(store, "f", {"end"});
        end.left = left(RunStatus::done, "{}");
        append(store, end);

        const auto found = survey(store);

        CHECK(text_of(found) == "default refund h1 running 1 0\n"
                                "fast refund h1 ready 1 0\n"
                                "slow refund h1 ready 2 0\n"
                                "slow refund h2 ready 1 0\n");
        CHECK(found.runs[2].oldest == row(store, "a").created_at);
        CHECK(found.at > row(store, "f").updated_at);
    });
}
TEST_CASE("a survey counts sleeping runs with the earliest of their times, and a ready run from when it became ready") {
    on_every_store([](Store& store, House& house) {
        for (const auto wait : {2, 1}) {
            auto run = queued("first" + std::to_string(wait), "q");
            run.not_before = house.time + wait * an_hour;
            create(store, run);
        }
        create(store, run_of("sleeper", "ann"));
        auto sleep = batch_of(store, "sleeper", {"sleep"});
        sleep.left = left(RunStatus::waiting);
        sleep.left->wake_at = house.time + 3 * an_hour;
        append(store, sleep);
        create(store, run_of("asks", "ann"));
        auto ask = batch_of(store, "asks", {"ask"});
        ask.left = left(RunStatus::waiting);
        append(store, ask);

        auto counts = survey(store).runs;
        REQUIRE(counts.size() == 2);
        CHECK(counts[0].runs == 2);
        CHECK(counts[0].sleeping == 1);
        CHECK(counts[0].next_wake == row(store, "sleeper").wake_at);
        CHECK(counts[1].sleeping == 2);
        CHECK(counts[1].next_wake == row(store, "first1").wake_at);

        house.time += an_hour + an_hour / 2;
        beat_with(store, "ann", "{}");
        house.time += an_hour / 2;
        counts = survey(store).runs;
        REQUIRE(counts.size() == 3);
        CHECK(counts[1].status == RunStatus::ready);
        CHECK(counts[1].sleeping == 0);
        CHECK_FALSE(counts[1].next_wake);
        CHECK(counts[1].oldest == row(store, "first1").updated_at);
        CHECK(survey(store).at - counts[1].oldest < an_hour);
        CHECK(counts[2].sleeping == 1);
        CHECK(counts[2].next_wake <= survey(store).at);
    });
}
TEST_CASE("a survey lists workers with a description as long as they have their lease") {
    on_every_store([](Store& store, House& house) {
        beat_with(store, "silent", "");
        beat_with(store, "bob", "{\"slots\":2}", 1000);
        const auto bobs = survey(store).workers.at(0);
        beat_with(store, "ann", "{\"slots\":1}", 5000);
        house.time += 500'000;
        beat_with(store, "ann", "{\"slots\":3}", 5000);

        auto workers = survey(store).workers;
        REQUIRE(workers.size() == 2);
        CHECK(workers[0].id == "ann");
        CHECK(workers[0].info == "{\"slots\":3}");
        CHECK(workers[0].lease_until > house.time);
        CHECK(workers[0].started_at < house.time - 400'000);
        CHECK(workers[1].id == "bob");
        CHECK(workers[1].started_at == bobs.started_at);

        house.time += 1'000'000;
        workers = survey(store).workers;
        REQUIRE(workers.size() == 1);
        CHECK(workers[0].id == "ann");
    });
}
TEST_CASE("a worker is listed as long as it sends heartbeats, however seldom they are written") {
    on_every_store([](Store& store, House& house) {
        for (int i = 0; i < 20; ++i) {
            CHECK(beat_with(store, "ann", "{}", 1000).alive);
            house.time += 300'000;
            CHECK(survey(store).workers.size() == 1);
        }
    });
}
TEST_CASE("a leaving worker ends its lease: its remaining runs are ready immediately, and it gets no other lease") {
    on_every_store([](Store& store, House&) {
        beat_with(store, "ann", "{}");
        create(store, run_of("r1", "ann"));

        CHECK_FALSE(beat_with(store, "ann", "{}", 0).alive);

        CHECK(row(store, "r1").status == RunStatus::ready);
        CHECK(row(store, "r1").epoch == 2);
        CHECK(text_of(survey(store)) == "default refund h1 ready 1 1\n");
        CHECK(survey(store).workers.empty());
        CHECK_FALSE(beat_with(store, "ann", "{}").alive);
        CHECK(claim(store, {.owner = "ann"}).empty());
        CHECK(claim(store, {.owner = "bob"}).size() == 1);
    });
}
TEST_CASE("a claim begins after a given place in the order of claims") {
    on_every_store([](Store& store, House& house) {
        for (auto [id, priority] : {std::pair("first", 1), {"second", 0}, {"third", 0}}) {
            auto run = run_of(id, "");
            run.priority = priority;
            create(store, run);
            house.time += 1'000;
        }
        const auto ids_behind = [&](const std::string& id) {
            const auto place = row(store, id);
            std::string ids;
            storage::ClaimRequest all{.owner = "ann", .ids = {"first", "second", "third"}};
            all.behind = {place.priority, place.created_at};
            for (auto& run : claim(store, all)) {
                ids += run.id + ' ';
                append(store, {.run = run.id, .epoch = run.epoch, .seq = run.next_seq, .left = left(RunStatus::ready)});
            }
            return ids;
        };
        CHECK(ids_behind("first") == "second third ");
        CHECK(ids_behind("second") == "third ");
        storage::ClaimRequest next{.owner = "ann"};
        next.behind = {0, row(store, "second").created_at};
        REQUIRE(claim(store, next).size() == 1);
        CHECK(row(store, "third").status == RunStatus::running);
    });
}
TEST_CASE("a claim takes no run that it excludes") {
    on_every_store([](Store& store, House&) {
        for (auto id : {"a", "b", "c"}) create(store, run_of(id, ""));

        const auto rows = claim(store, {.owner = "ann", .except = {"a", "c", "nobody"}, .most = 2});

        REQUIRE(rows.size() == 1);
        CHECK(rows[0].id == "b");
    });
}
TEST_CASE("runs are listed by their owner") {
    on_every_store([](Store& store, House&) {
        for (auto id : {"a", "b", "c"}) create(store, run_of(id, id == std::string("b") ? "bob" : "ann"));
        auto end = batch_of(store, "a", {"end"});
        end.left = left(RunStatus::done, "{}");
        append(store, end);

        const auto rows = list(store, {.owner = "ann"});

        REQUIRE(rows.size() == 1);
        CHECK(rows[0].id == "c");
        CHECK(list(store, {.statuses = {RunStatus::ready}, .owner = "ann"}).empty());
    });
}
TEST_CASE("a worker's description is bounded") {
    on_every_store([](Store& store, House&) {
        const std::string most(storage::most_worker_info, 'x');
        CHECK(beat_with(store, "ann", most).alive);
        CHECK(refusal([&] { beat_with(store, "ann", most + 'x'); }).code == Code::usage);
        CHECK(survey(store).workers.at(0).info == most);
    });
}
TEST_CASE("a visitor queues runs in a SQLite file of a working engine, and neither overwrites the other's records") {
    Folder folder;
    SqliteStore engine(folder.file());
    SqliteStore guest(folder.file(), {.access = SqliteAccess::visitor});
    create(engine, run_of("e", "ann"));
    for (int i = 0; i < 5; ++i) {
        const auto id = "g" + std::to_string(i);
        CHECK(create(guest, queued(id, "q")).is_new);
        CHECK(append(engine, batch_of(engine, "e", {"tick of the engine"})) == storage::AppendReply::stored);
    }
    CHECK(refusal([&] { create(guest, run_of("x", "ann")); }).code == Code::usage);

    CHECK(load(engine, "e").ticks.size() == 6);
    CHECK(claim(engine, {.owner = "ann", .queues = {"q"}}).size() == 5);
    CHECK(bodies(load(guest, "g4")) == std::vector<std::string>{"start of g4"});
    beat_with(engine, "ann", "{}");
    CHECK(survey(guest).workers.size() == 1);
}
TEST_CASE("a worker of an earlier session on a SQLite file is not listed by the next engine") {
    Folder folder;
    { beat_with(*std::make_unique<SqliteStore>(folder.file()), "ann", "{}"); }
    SqliteStore store(folder.file());
    CHECK(survey(store).workers.empty());
}
