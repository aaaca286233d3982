// Store::create_all, for every store: all or none, each id and each start key once.
#include "tests/engine/store/conformance.hpp"
#include <doctest/doctest.h>
#include <set>
#include <thread>

using namespace stores;

namespace {
std::vector<CreateReply> create_all(Store& s, std::vector<NewRun> runs) {
    return answer_of<std::vector<CreateReply>>([&](auto then) { s.create_all(std::move(runs), then); });
}
NewRun keyed_run(int number) {
    auto run = run_of("refund:" + std::to_string(number), "");
    run.start_key = std::to_string(number);
    run.priority = number % 3;
    return run;
}
std::vector<NewRun> keyed_runs(int from, int to) {
    std::vector<NewRun> runs;
    for (; from < to; ++from) runs.push_back(keyed_run(from));
    return runs;
}
long added(const std::vector<CreateReply>& replies) {
    return std::count_if(replies.begin(), replies.end(), [](auto& reply) { return reply.is_new; });
}
}

TEST_CASE("many runs are created by one call, as by one call each") {
    on_every_store([](Store& store, House& house) {
        auto runs = keyed_runs(0, 1000);
        runs[7].not_before = house.time + 3600LL * 1'000'000;
        runs[8].not_before = 1;
        runs[9].queue = "slow", runs[9].options = "a \x01 text";

        const auto replies = create_all(store, runs);

        CHECK(added(replies) == 1000);
        for (std::size_t i = 0; i < runs.size(); ++i) CHECK(replies[i].id == runs[i].id);
        CHECK(list(store).size() == 1000);
        CHECK(row(store, "refund:7").wake_at == runs[7].not_before);
        CHECK(waits_to_begin(row(store, "refund:7")));
        CHECK(row(store, "refund:8").status == RunStatus::ready);
        CHECK(row(store, "refund:9").queue == "slow");
        CHECK(row(store, "refund:9").options == "a \x01 text");
        CHECK(bodies(load(store, "refund:999")) == std::vector<std::string>{"start of refund:999"});
        CHECK(plan(store, "h1").workflow == "refund");
        ClaimRequest best;
        best.owner = "bob";
        best.most = 3;
        heartbeat(store, "bob");
        const auto first = claim(store, best);
        REQUIRE(first.size() == 3);
        CHECK(first[0].id == "refund:2");
        CHECK(first[1].id == "refund:5");
        CHECK(first[2].id == "refund:8");
    });
}
TEST_CASE("a second call with the same keys adds only the missing runs") {
    on_every_store([](Store& store, House&) {
        auto other = run_of("another id", "");
        other.start_key = "2";
        create(store, other);

        const auto first = create_all(store, keyed_runs(0, 6)), second = create_all(store, keyed_runs(3, 9));

        CHECK(added(first) == 5);
        CHECK(first[2].id == "another id");
        CHECK(added(second) == 3);
        CHECK(second[0].id == "refund:3");
        CHECK(added(create_all(store, keyed_runs(0, 9))) == 0);
        CHECK(list(store).size() == 9);
    });
}
TEST_CASE("the first of two runs with one key or one id in a call is created") {
    on_every_store([](Store& store, House&) {
        auto twice = keyed_runs(0, 2);
        twice.push_back(keyed_run(0));
        twice.back().ticks = ticks(0, {"another start"});
        auto same_key = run_of("r3", "");
        same_key.start_key = "1";
        twice.push_back(same_key);

        const auto replies = create_all(store, twice);

        CHECK(added(replies) == 2);
        CHECK(replies[2].id == "refund:0");
        CHECK(replies[3].id == "refund:1");
        CHECK(bodies(load(store, "refund:0")) == std::vector<std::string>{"start of refund:0"});
        CHECK(list(store).size() == 2);
        CHECK(create_all(store, {}).empty());
    });
}
TEST_CASE("a call replies to a repeated id as to the first run with it when another run has the first one's key") {
    on_every_store([](Store& store, House&) {
        create_all(store, keyed_runs(0, 1));
        auto known = run_of("r2", "");
        known.start_key = "0";

        const auto replies = create_all(store, {known, run_of("r2", "")});

        CHECK(added(replies) == 0);
        CHECK(replies[0].id == "refund:0");
        CHECK(replies[1].id == "refund:0");
        CHECK(list(store).size() == 1);
    });
}
TEST_CASE("a call with an invalid run creates none") {
    on_every_store([](Store& store, House&) {
        const auto refused = [&](auto change) {
            auto runs = keyed_runs(0, 3);
            change(runs);
            return refusal([&] { create_all(store, runs); }).sentence;
        };
        CHECK(refused([](auto& runs) { runs[2].owner = "ann"; }).starts_with("run refund:2 has an owner"));
        CHECK(refused([](auto& runs) { runs[2].plan.hash = "h2"; }).starts_with("run refund:2 has an owner"));
        CHECK(refused([](auto& runs) { runs[2].ticks = ticks(0, {"a", "b"}); }).starts_with("run refund:2 has an"));
        CHECK(refused([](auto& runs) { runs[1].id = "two\nlines"; }).starts_with("the id of a run is one line"));
        CHECK(refused([](auto& runs) { runs = keyed_runs(0, 1001); }) ==
              "1001 runs are too many for one call: at most 1000 are created at once");
        CHECK(list(store).empty());
    });
}
TEST_CASE("four threads with the same keys create each run once") {
    on_every_store([](Store& store, House&) {
        std::atomic<long> count = 0;
        std::vector<std::jthread> threads;
        for (int n = 0; n < 4; ++n)
            threads.emplace_back([&, n] {
                for (int from = 0; from < 400; from += 100) {
                    auto runs = keyed_runs(from, from + 100);
                    if (n % 2) std::reverse(runs.begin(), runs.end());
                    count += added(create_all(store, std::move(runs)));
                }
            });
        threads.clear();
        CHECK(count == 400);
        CHECK(list(store).size() == 400);
    });
}
