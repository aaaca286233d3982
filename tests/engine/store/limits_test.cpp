// Limits of queues, for every store.
#include "engine/store/flow.hpp"
#include "tests/engine/store/conformance.hpp"
#include <doctest/doctest.h>
#include <thread>

using namespace stores;

namespace {
void set_limits(Store& s, QueueLimits limits) {
    answer_of<bool>([&](auto then) { s.set_limits(std::move(limits), then); });
}
NewRun run_for(const std::string& id, const std::string& tenant, const std::string& owner = "") {
    auto run = run_of(id, owner);
    run.queue = "mail";
    run.ticks = ticks(0, {tenant.empty() ? "{}" : "{\"at\":1,\"values\":{\"tenant\":\"" + tenant + "\"}}"});
    return run;
}
std::vector<RunRow> claim_some(Store& s, std::size_t most, const std::string& owner = "bob") {
    ClaimRequest request{.owner = owner};
    request.most = most;
    return claim(s, request);
}
std::string ids_of(std::vector<RunRow> rows) {
    std::vector<std::string> ids;
    for (auto& row : rows) ids.push_back(row.id);
    std::ranges::sort(ids);
    std::string all;
    for (auto& id : ids) (all += all.empty() ? "" : " ") += id;
    return all;
}
void leave(Store& s, const std::string& id, RunStatus status) {
    auto batch = batch_of(s, id, {});
    batch.left = left(status, status == RunStatus::waiting ? "" : "{}");
    append(s, batch);
}
QueueFlow flow_in(Store& s) {
    const auto flows = survey(s).flows;
    REQUIRE(flows.size() == 1);
    return flows[0];
}
}
TEST_CASE("a queue runs as many runs at once as its limit says, and a parked or ended run makes room") {
    on_every_store([](Store& store, House&) {
        heartbeat(store, "bob");
        set_limits(store, {.queue = "mail", .running = 2});
        for (auto id : {"a", "b", "c", "d"}) create(store, run_for(id, ""));
        create(store, run_of("other", ""));

        CHECK(ids_of(claim_some(store, 10)) == "a b other");
        CHECK(claim_some(store, 10).empty());
        CHECK(flow_in(store).running == 2);
        CHECK(flow_in(store).ready == 2);
        CHECK(flow_in(store).held_back == 2);

        leave(store, "a", RunStatus::waiting);
        CHECK(flow_in(store).held_back == 1);
        CHECK(ids_of(claim_some(store, 10)) == "c");
        send(store, "a", "answer");
        CHECK(claim_some(store, 10).empty());
        leave(store, "b", RunStatus::done);
        CHECK(ids_of(claim_some(store, 10)) == "a");
    });
}
TEST_CASE("a queue runs as many runs of each key at once as its limit says") {
    on_every_store([](Store& store, House&) {
        heartbeat(store, "bob");
        set_limits(store, {.queue = "mail", .running = {}, .per = "value.tenant", .running_per_key = 2});
        for (auto id : {"a1", "a2", "a3"}) create(store, run_for(id, "acme"));
        answer_of<std::vector<CreateReply>>([&](auto then) {
            store.create_all({run_for("b1", "bcme"), run_for("b2", "bcme"), run_for("b3", "bcme")}, then);
        });
        for (auto id : {"n1", "n2", "n3"}) create(store, run_for(id, ""));

        CHECK(flow_in(store).held_back == 3);
        CHECK(ids_of(claim_some(store, 100)) == "a1 a2 b1 b2 n1 n2");
        CHECK(claim_some(store, 100).empty());
        leave(store, "b2", RunStatus::done);
        CHECK(ids_of(claim_some(store, 100)) == "b3");
    });
}
TEST_CASE("keys are served in turn within a priority, and a key that runs less comes first") {
    on_every_store([](Store& store, House&) {
        heartbeat(store, "bob");
        set_limits(store, {.queue = "mail", .running = {}, .per = "value.tenant"});
        for (auto id : {"a1", "a2", "a3", "a4", "a5", "a6"}) create(store, run_for(id, "acme"));
        for (auto id : {"b1", "b2"}) create(store, run_for(id, "bcme"));
        auto urgent = run_for("a9", "acme");
        urgent.priority = 1;
        create(store, urgent);

        CHECK(ids_of(claim_some(store, 1)) == "a9");
        CHECK(ids_of(claim_some(store, 1)) == "b1");
        CHECK(ids_of(claim_some(store, 2)) == "a1 b2");
        CHECK(ids_of(claim_some(store, 100)) == "a2 a3 a4 a5 a6");
    });
}
TEST_CASE("a limited queue and another one share a claim by the age of their runs") {
    on_every_store([](Store& store, House&) {
        heartbeat(store, "bob");
        set_limits(store, {.queue = "mail", .running = {}, .per = "value.tenant"});
        create(store, run_for("a1", "acme"));
        create(store, run_for("a2", "acme"));
        create(store, run_of("d1", ""));
        create(store, run_for("b1", "bcme"));
        create(store, run_of("d2", ""));

        CHECK(ids_of(claim_some(store, 3)) == "a1 b1 d1");
        CHECK(ids_of(claim_some(store, 3)) == "a2 d2");
    });
}
TEST_CASE("limits that change while runs wait and run count all of these, and end when they are removed") {
    on_every_store([](Store& store, House&) {
        heartbeat(store, "bob");
        for (auto id : {"a1", "a2", "a3", "a4"}) create(store, run_for(id, "acme"));
        for (auto id : {"b1", "b2"}) create(store, run_for(id, "bcme"));
        CHECK(ids_of(claim_some(store, 2)) == "a1 a2");

        set_limits(store, {.queue = "mail", .running = 3, .per = "value.tenant", .running_per_key = 2});
        CHECK(flow_in(store).running == 2);
        CHECK(ids_of(claim_some(store, 10)) == "b1");
        set_limits(store, {.queue = "mail", .running = 4});
        CHECK(flow_in(store).limits == QueueLimits{.queue = "mail", .running = 4});
        CHECK(ids_of(claim_some(store, 10)) == "a3");
        set_limits(store, {.queue = "mail", .running = 0});
        CHECK(claim_some(store, 10).empty());

        set_limits(store, {.queue = "mail"});
        CHECK(survey(store).flows.empty());
        CHECK(ids_of(claim_some(store, 10)) == "a4 b2");
    });
}
TEST_CASE("a queue begins runs at its rate, evenly, and continues others at once") {
    on_every_store([](Store& store, House& house) {
        heartbeat(store, "bob", 3'600'000);
        set_limits(store, {.queue = "mail", .running = {}, .per = "", .running_per_key = {}, .starts = 120});
        for (int i = 0; i < 9; ++i) create(store, run_for("r" + std::to_string(i), ""));
        create(store, run_for("own", "", "bob"));
        leave(store, "own", RunStatus::ready);

        CHECK(flow_in(store).starts_left == 2);
        CHECK(ids_of(claim_some(store, 10)) == "own r0 r1");
        CHECK(ids_of(claim_some(store, 10)).empty());
        CHECK(flow_in(store).held_back == 7);
        CHECK(flow_in(store).starts_left.value() < 1);
        house.time += 500'000;
        CHECK(ids_of(claim_some(store, 10)) == "r2");
        leave(store, "r0", RunStatus::ready);
        CHECK(ids_of(claim_some(store, 10)) == "r0");
        house.time += 3'600'000'000;
        CHECK(flow_in(store).held_back == 4);
        CHECK(claim_some(store, 1).size() == 1);
        set_limits(store, {.queue = "mail", .running = 100, .per = "", .running_per_key = {}, .starts = 60});
        CHECK(ids_of(claim_some(store, 10)) == "r4");
        CHECK(claim_some(store, 10).empty());
        house.time += 10'000'000;
        CHECK(ids_of(claim_some(store, 10)) == "r5");
        set_limits(store, {.queue = "mail"});
        CHECK(claim_some(store, 10).size() == 3);
    });
}
TEST_CASE("a queue that begins some runs in an hour begins as many in a day as its rate says") {
    on_every_store([](Store& store, House& house) {
        set_limits(store,
                   {.queue = "mail", .running = {}, .per = "", .running_per_key = {}, .starts = 2, .seconds = 3600});
        for (int i = 0; i < 60; ++i) create(store, run_for("r" + std::to_string(i), ""));
        std::size_t begun = 0;
        for (int minute = 0; minute < 24 * 60; minute += 5, house.time += 300'000'000) {
            heartbeat(store, "bob", 3'600'000);
            begun += claim_some(store, 10).size();
        }
        CHECK(begun == 48);
    });
}
TEST_CASE("the places of a dead owner are free after its takeover") {
    on_every_store([](Store& store, House& house) {
        heartbeat(store, "ann", 1000);
        heartbeat(store, "bob");
        set_limits(store, {.queue = "mail", .running = 1});
        for (auto id : {"a", "b"}) create(store, run_for(id, ""));
        CHECK(ids_of(claim_some(store, 10, "ann")) == "a");

        house.time += 2'000'000;
        CHECK(claim_some(store, 10).empty());
        heartbeat(store, "bob");

        CHECK(ids_of(claim_some(store, 10)) == "a");
        CHECK(row(store, "a").takeovers == 1);
        CHECK(claim_some(store, 10).empty());
    });
}
TEST_CASE("a claim by name and a run with an owner take a place beyond the limit, and count") {
    on_every_store([](Store& store, House&) {
        heartbeat(store, "bob");
        set_limits(store, {.queue = "mail", .running = 1});
        create(store, run_for("own", "", "bob"));
        for (auto id : {"a", "b"}) create(store, run_for(id, ""));

        CHECK(claim_some(store, 10).empty());
        CHECK(claim(store, {.owner = "bob", .ids = {"a"}}).size() == 1);
        leave(store, "own", RunStatus::done);
        CHECK(claim_some(store, 10).empty());
        leave(store, "a", RunStatus::done);
        CHECK(ids_of(claim_some(store, 10)) == "b");
    });
}
TEST_CASE("claims of a limited queue keep to queues, declarations and excluded runs") {
    on_every_store([](Store& store, House&) {
        heartbeat(store, "bob");
        set_limits(store, {.queue = "mail", .running = 2, .per = "value.tenant"});
        for (auto id : {"a1", "a2", "a3"}) create(store, run_for(id, "acme"));
        auto other = run_for("h2", "acme");
        other.plan.hash = "h2";
        create(store, other);

        CHECK(claim(store, {.owner = "bob", .queues = {"default"}}).empty());
        CHECK(ids_of(claim(store, {.owner = "bob", .hashes = {"h2"}})) == "h2");
        CHECK(ids_of(claim(store, {.owner = "bob", .hashes = {"h1"}, .except = {"a1"}})) == "a2");
    });
}
TEST_CASE("owners that claim at the same moment never exceed a limit, and claim each run once") {
    on_every_store([](Store& store, House&) {
        constexpr int runs = 60;
        set_limits(store, {.queue = "mail", .running = 5, .per = "value.tenant", .running_per_key = 2});
        for (int i = 0; i < runs; ++i)
            create(store, run_for("r" + std::to_string(i), "tenant" + std::to_string(i % 4)));
        std::atomic<int> running = 0, most = 0, done = 0;
        std::vector<std::jthread> owners;
        for (int n = 0; n < 4; ++n)
            owners.emplace_back([&, owner = "owner" + std::to_string(n)] {
                heartbeat(store, owner);
                while (done < runs) {
                    const auto rows = claim_some(store, 3, owner);
                    const int now = running += int(rows.size());
                    for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {}
                    for (auto& each : rows) {
                        --running;
                        leave(store, each.id, RunStatus::done);
                        ++done;
                    }
                }
            });
        owners.clear();
        CHECK(done == runs);
        CHECK(most <= 5);
        for (auto& each : list(store)) CHECK(each.epoch == 1);
    });
}
TEST_CASE("a key is one member of the values: a text, a number or a truth, of any length") {
    const auto key = [](const std::string& tick) { return key_of(tick, {.queue = "q", .per = "value.tenant"}); };
    CHECK(key(R"({"values":{"tenant":"acme"}})") == "acme");
    CHECK(key(R"({"values":{"tenant":17}})") == "17");
    CHECK(key(R"({"values":{"tenant":true}})") == "true");
    CHECK(key("{\"values\":{\"tenant\":\"a\\u0000b\"}}") == "a b");
    for (auto tick : {"", "not JSON", "[]", R"({"at":1})", R"({"values":7})", R"({"values":{"tenant":{}}})",
                      R"({"values":{"tenant":null}})", R"({"values":{"other":"acme"}})"})
        CHECK(key(tick).empty());
    const auto with = [&](char end) {
        return key("{\"values\":{\"tenant\":\"" + std::string(5000, 'x') + end + "\"}}");
    };
    CHECK(with('y').size() <= 200);
    CHECK(with('y') != with('z'));
}
TEST_CASE("a store refuses limits that contradict themselves, and keeps the former ones") {
    on_every_store([](Store& store, House&) {
        const auto refused = [&](QueueLimits limits) { return refusal([&] { set_limits(store, limits); }).sentence; };
        set_limits(store, {.queue = "mail", .running = 1});
        CHECK(refused({.queue = "mail", .running = 1, .per = "", .running_per_key = 2}) ==
              "a limit for each key of the queue mail needs the name of the key, such as value.tenant");
        for (const std::string per : {"tenant", "value.", "value.a\nb"})
            CHECK(refused({.queue = "mail", .running = {}, .per = per}).find("is none") != std::string::npos);
        for (const std::string& queue : {std::string(), std::string("a\nb"), std::string(201, 'q')}) {
            CHECK(refused({.queue = queue, .running = 1}).starts_with("the name of a queue"));
            auto run = run_of("r");
            run.queue = queue;
            CHECK(refusal([&] { create(store, run); }).sentence.starts_with("the name of a queue"));
        }
        CHECK(refused({.queue = "mail", .running = {}, .per = "value." + std::string(300, 'x')}) ==
              "the name of a key has at most 200 bytes, and that of the queue mail has 306");
        CHECK(flow_in(store).limits.running == 1);
    });
}
TEST_CASE("a run has the key of its values when a value is hostile") {
    on_every_store([](Store& store, House&) {
        heartbeat(store, "bob");
        set_limits(store, {.queue = "mail", .running = {}, .per = "value.tenant", .running_per_key = 1});
        for (const std::string tenant : {"a\\u0000b", "\\ud83d\\ude00", "'; drop table weft.runs; --", "\\u0001", "{}"})
            CHECK(create(store, run_for("r" + tenant, tenant)).is_new);
        CHECK(claim_some(store, 100).size() == 5);
    });
}
#ifdef WEFT_POSTGRES_PROGRAMS
TEST_CASE("runs have the key of the last limits when two processes set other keys at the same moment") {
    auto& server = PostgresServer::shared();
    server.clear();
    PostgresStore one(server.url()), other(server.url());
    std::vector<NewRun> runs;
    for (int i = 0; i < 1000; ++i) {
        runs.push_back(run_for("r" + std::to_string(i), ""));
        runs.back().ticks = ticks(0, {R"({"at":1,"values":{"tenant":"t","shop":"s"}})"});
    }
    answer_of<std::vector<CreateReply>>([&](auto then) { one.create_all(runs, then); });
    for (int i = 0; i < 5; ++i) {
        std::jthread tenants([&] { set_limits(one, {.queue = "mail", .running = {}, .per = "value.tenant"}); });
        set_limits(other, {.queue = "mail", .running = {}, .per = "value.shop"});
        tenants.join();
        const auto last = survey(one).flows.at(0).limits.per == "value.tenant" ? "t" : "s";
        CHECK(server.value_of("select string_agg(distinct flow_key, ' ') from weft.runs") == last);
    }
}
#endif
