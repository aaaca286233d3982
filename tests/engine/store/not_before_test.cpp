// NewRun::not_before, for every store: a run waits for its time, and is ready once.
#include "tests/engine/store/conformance.hpp"
#include <doctest/doctest.h>
#include <thread>

using namespace stores;

namespace {
constexpr std::int64_t an_hour = 3600LL * 1'000'000;
NewRun run_in(House& house, const std::string& id, std::int64_t wait) {
    auto run = run_of(id, "");
    run.not_before = house.time + wait;
    return run;
}
ClaimRequest claim_by(const std::string& owner, std::vector<std::string> ids = {}) {
    ClaimRequest claim;
    claim.owner = owner;
    claim.ids = std::move(ids);
    return claim;
}
}

TEST_CASE("a run with a time waits for it, and neither a claim nor a claim by name takes it before") {
    on_every_store([](Store& store, House& house) {
        const auto run = run_in(house, "r1", an_hour);
        CHECK(create(store, run).is_new);
        heartbeat(store, "bob");

        CHECK(row(store, "r1").status == RunStatus::waiting);
        CHECK(row(store, "r1").wake_at == run.not_before);
        CHECK(waits_to_begin(row(store, "r1")));
        CHECK(claim(store, claim_by("bob")).empty());
        CHECK(claim(store, claim_by("bob", {"r1"})).empty());

        house.time += an_hour;
        heartbeat(store, "bob");
        CHECK(row(store, "r1").status == RunStatus::ready);
        CHECK(claim(store, claim_by("bob")).size() == 1);
        CHECK(claim(store, claim_by("bob")).empty());
        CHECK(row(store, "r1").epoch == 1);
    });
}
TEST_CASE("a claim by name takes a run at its time without a heartbeat") {
    on_every_store([](Store& store, House& house) {
        create(store, run_in(house, "r1", an_hour));
        heartbeat(store, "bob");
        house.time += an_hour;

        const auto rows = claim(store, claim_by("bob", {"r1"}));

        REQUIRE(rows.size() == 1);
        CHECK(rows[0].epoch == 1);
        CHECK_FALSE(rows[0].wake_at);
    });
}
TEST_CASE("a run with a past time is ready at once") {
    on_every_store([](Store& store, House& house) {
        create(store, run_in(house, "r1", -1));
        CHECK(row(store, "r1").status == RunStatus::ready);
        CHECK_FALSE(row(store, "r1").wake_at);
    });
}
TEST_CASE("only urgent mail makes a run ready before its time") {
    on_every_store([](Store& store, House& house) {
        create(store, run_in(house, "r1", an_hour));

        CHECK(send(store, "r1", "an answer").status == RunStatus::waiting);
        CHECK(row(store, "r1").status == RunStatus::waiting);
        CHECK(row(store, "r1").wake_at);
        const Mail cancel{.run = "r1", .id = "cancel", .body = "{}", .is_urgent = true};
        const auto sent = answer_of<SendReply>([&](auto then) { store.send(cancel, then); });

        CHECK(sent.status == RunStatus::ready);
        CHECK(row(store, "r1").mail == 2);
        CHECK(load_mail(store, "r1").size() == 2);
        heartbeat(store, "bob");
        CHECK(claim(store, claim_by("bob")).size() == 1);
    });
}
TEST_CASE("a repeated creation of a run with a time has no effect, also after that time") {
    on_every_store([](Store& store, House& house) {
        auto run = run_in(house, "r1", an_hour);
        run.start_key = "A-17";
        create(store, run);
        house.time += 2 * an_hour;
        heartbeat(store, "bob");
        claim(store, claim_by("bob"));

        CHECK(create(store, run).is_new);
        auto other = run_of("r2", "");
        other.start_key = "A-17";
        CHECK(create(store, other).id == "r1");

        CHECK(row(store, "r1").status == RunStatus::running);
        CHECK(list(store).size() == 1);
    });
}
TEST_CASE("four owners claim each run with a time once") {
    on_every_store([](Store& store, House& house) {
        constexpr int runs = 60;
        for (int i = 0; i < runs; ++i) create(store, run_in(house, "r" + std::to_string(i), an_hour + i % 2));
        house.time += 2 * an_hour;
        std::atomic<int> claimed = 0;
        std::vector<std::jthread> owners;
        for (int n = 0; n < 4; ++n)
            owners.emplace_back([&, owner = "owner" + std::to_string(n)] {
                for (int round = 0; round < 8; ++round) {
                    heartbeat(store, owner);
                    auto one = claim_by(owner);
                    one.most = 7;
                    claimed += int(claim(store, one).size());
                }
            });
        owners.clear();
        CHECK(claimed == runs);
        for (auto& each : list(store)) CHECK(each.epoch == 1);
    });
}
TEST_CASE("a store refuses a run with an owner and a time, and a time after the year 9999") {
    on_every_store([](Store& store, House& house) {
        auto run = run_in(house, "r1", an_hour);
        run.owner = "ann";
        CHECK(refusal([&] { create(store, run); }).sentence == "run r1 cannot have an owner before it begins");
        run.owner.clear();
        run.not_before = 253'402'300'800'000'000;
        CHECK(refusal([&] { create(store, run); }).sentence ==
              "run r1 cannot begin after the year 9999: give it an earlier time");
        CHECK(list(store).empty());
    });
}
