// Every store replaces the journal of a run that begins again, in one step.
#include "engine/store/damaged.hpp"
#include "tests/engine/store/conformance.hpp"
#include <doctest/doctest.h>
using namespace stores;

namespace {
/// A batch by which the run begins again with a tick of this body.
Batch again(Store& store, const std::string& id, const std::string& body) {
    auto batch = batch_of(store, id, {});
    batch.ticks = ticks(batch.seq, {body});
    batch.begins_again = true;
    return batch;
}
Snapshot snapshot(std::uint64_t upto, const std::string& body) {
    return {.upto = upto, .body = body, .sum = chained_sum(0, upto, body)};
}
}
TEST_CASE("a run that begins again has only its new ticks, and keeps its row and its mail") {
    on_every_store([](Store& store, House&) {
        auto run = run_of("r1");
        run.start_key = "k";
        create(store, run);
        create(store, run_of("r2"));
        auto batch = batch_of(store, "r1", {"a", "b"});
        batch.snapshot = snapshot(2, "state");
        append(store, batch);
        send(store, "r1", "m1");
        const auto before = row(store, "r1");
        CHECK(append(store, again(store, "r1", "second start")) == AppendReply::stored);

        auto history = load(store, "r1");
        CHECK(bodies(history) == std::vector<std::string>{"second start"});
        CHECK(history.ticks.front().seq == 3);
        CHECK_FALSE(history.snapshot);
        CHECK(history.mail.size() == 1);
        CHECK(history.run.next_seq == 4);
        CHECK(history.run.epoch == before.epoch);
        CHECK(history.run.owner == before.owner);
        CHECK(history.run.created_at == before.created_at);
        CHECK(history.run.start_key == "k");
        CHECK(bodies(load(store, "r2")) == std::vector<std::string>{"start of r2"});

        append(store, batch_of(store, "r1", {"c", "d"}));
        CHECK(bodies(load(store, "r1")) == std::vector<std::string>{"second start", "c", "d"});
        append(store, again(store, "r1", "third start"));
        CHECK(bodies(load(store, "r1", ~std::uint64_t{0})) == std::vector<std::string>{"third start"});
        CHECK_FALSE(create(store,
                           [&] {
                               auto same = run_of("r9");
                               same.start_key = "k";
                               return same;
                           }())
                        .is_new);
    });
}
TEST_CASE("a snapshot after a run has begun again is read with the ticks that follow it") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        append(store, again(store, "r1", "second start"));
        auto batch = batch_of(store, "r1", {"a"});
        batch.snapshot = snapshot(3, "state");
        append(store, batch);
        append(store, batch_of(store, "r1", {"b"}));

        const auto all = load(store, "r1"), rest = load(store, "r1", ~std::uint64_t{0});
        CHECK(bodies(all) == std::vector<std::string>{"second start", "a", "b"});
        CHECK(bodies(rest) == std::vector<std::string>{"b"});
        CHECK(rest.snapshot->body == "state");
    });
}
TEST_CASE("a repeated call of a run that begins again, or of a tick before it, changes nothing") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto earlier = batch_of(store, "r1", {"a", "b"});
        earlier.snapshot = snapshot(3, "state");
        append(store, earlier);
        const auto restart = again(store, "r1", "second start");
        append(store, restart);
        CHECK(append(store, restart) == AppendReply::stored);
        CHECK(append(store, earlier) == AppendReply::stored);
        append(store, batch_of(store, "r1", {"c"}));
        CHECK(append(store, restart) == AppendReply::stored);
        CHECK(append(store, earlier) == AppendReply::stored);

        const auto history = load(store, "r1", ~std::uint64_t{0});
        CHECK(bodies(history) == std::vector<std::string>{"second start", "c"});
        CHECK_FALSE(history.snapshot);
        CHECK(history.run.next_seq == 5);
    });
}
TEST_CASE("a former owner cannot begin a run again, and nobody can before all ticks are stored") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto late = again(store, "r1", "second start");
        auto early = late;
        early.seq = 2;
        early.ticks = ticks(2, {"second start"});
        CHECK(refusal([&] { append(store, early); }).sentence == "run r1: tick 2 cannot be stored before tick 1 is");
        late.epoch = 0;
        CHECK(append(store, late) == AppendReply::fenced);
        CHECK(bodies(load(store, "r1")) == std::vector<std::string>{"start of r1"});
        auto end = batch_of(store, "r1", {"end"});
        end.left = left(RunStatus::done);
        append(store, end);
        CHECK(append(store, again(store, "r1", "second start")) == AppendReply::fenced);
    });
}
TEST_CASE("a run begins again with exactly one tick, whose sum begins a chain") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto two = again(store, "r1", "second start");
        two.ticks = ticks(1, {"second start", "a"});
        auto chained = again(store, "r1", "second start");
        chained.ticks = ticks(1, {"second start"}, 7);
        for (auto& wrong : {two, chained})
            CHECK(refusal([&] { append(store, wrong); }).sentence ==
                  "run r1: a run begins again with exactly one tick, and nothing else");
    });
}
TEST_CASE("a tick that is missing before the first one of a chain is damage, unless the run has begun again") {
    on_every_store([](Store& store, House&) {
        auto run = run_of("r1");
        run.ticks = ticks(5, {"a", "b"});  // as a fork of a run that has begun again
        create(store, run);
        CHECK(create(store, run).is_new);
        CHECK(bodies(load(store, "r1")) == std::vector<std::string>{"a", "b"});
        CHECK(row(store, "r1").next_seq == 7);
        append(store, batch_of(store, "r1", {"c"}));
        CHECK(load(store, "r1").ticks.back().seq == 7);
        auto torn = run_of("r2");
        torn.ticks = ticks(5, {"a", "b"}, 7);
        create(store, torn);
        CHECK_THROWS_AS(load(store, "r2"), storage::DamagedError);
    });
}
TEST_CASE("a run that has begun again a thousand times leaves nothing behind when it is pruned") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        for (int i = 0; i < 1000; ++i) append(store, again(store, "r1", "start " + std::to_string(i)));
        CHECK(load(store, "r1").ticks.size() == 1);
        auto end = batch_of(store, "r1", {"end"});
        end.left = left(RunStatus::done);
        append(store, end);
        CHECK(prune(store) == 1);
        CHECK(create(store, run_of("r1")).is_new);
        CHECK(bodies(load(store, "r1")) == std::vector<std::string>{"start of r1"});
    });
}
TEST_CASE("a run that begins again keeps its mail of two rounds, its newest mail, and what no tick has taken") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        const auto take = [&](int first, int count) {
            auto batch = batch_of(store, "r1", {"takes mail"});
            for (int i = first; i < first + count; ++i) {
                batch.mail.push_back("m" + std::to_string(i));
                CHECK(send(store, "r1", batch.mail.back()).is_new);
            }
            append(store, batch);
        };
        const auto is_known = [&](const std::string& mail) { return !send(store, "r1", mail).is_new; };
        CHECK(send(store, "r1", "left").is_new);
        take(0, 20);
        append(store, again(store, "r1", "second start"));
        take(20, int(most_known_mail));
        for (const auto* mail : {"left", "m0", "m19", "m20"}) CHECK(is_known(mail));
        const auto third = again(store, "r1", "third start");
        CHECK(append(store, third) == AppendReply::stored);
        CHECK(append(store, third) == AppendReply::stored);
        CHECK(load(store, "r1").mail.size() == 1);  // "left"
        for (const auto* mail : {"left", "m20", "m1019"}) CHECK(is_known(mail));
        CHECK_FALSE(is_known("m0"));
        append(store, again(store, "r1", "fourth start"));
        CHECK_FALSE(is_known("m20"));
        for (const auto* mail : {"left", "m0", "m500"}) CHECK(is_known(mail));
        CHECK(load(store, "r1").mail.size() == 3);
    });
}
