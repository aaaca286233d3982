// The promises of engine/store.hpp about runs and their ticks, for every store.
#include "engine/store/damaged.hpp"
#include "tests/engine/store/conformance.hpp"
#include <doctest/doctest.h>

using namespace stores;

TEST_CASE("a run is found as it was created in the store") {
    on_every_store([](Store& store, House&) {
        auto run = run_of("r1");
        run.start_key = "A-17", run.forked_from = "r0", run.queue = "slow", run.priority = -3;

        CHECK(create(store, run).is_new);

        auto history = load(store, "r1");
        CHECK(bodies(history) == std::vector<std::string>{"start of r1"});
        CHECK(history.run.workflow == "refund");
        CHECK(history.run.hash == "h1");
        CHECK(history.run.options == run.options);
        CHECK(history.run.start_key == "A-17");
        CHECK(history.run.forked_from == "r0");
        CHECK(history.run.queue == "slow");
        CHECK(history.run.priority == -3);
        CHECK(history.run.owner == "ann");
        CHECK(history.run.status == RunStatus::running);
        CHECK(history.run.epoch == 1);
        CHECK(history.run.next_seq == 1);
        CHECK(history.run.created_at > 0);
        CHECK(plan(store, "h1").workflow == "refund");
    });
}
TEST_CASE("a run without an owner is ready, under epoch 0") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1", ""));

        CHECK(row(store, "r1").status == RunStatus::ready);
        CHECK(row(store, "r1").epoch == 0);
    });
}
TEST_CASE("the same start key gives the same run, within a workflow") {
    on_every_store([](Store& store, House&) {
        auto first = run_of("r1"), second = run_of("r2"), other = run_of("r3");
        first.start_key = second.start_key = other.start_key = "A-17";
        other.plan = {.hash = "h2", .workflow = "claims", .plan = "{}"};
        create(store, first);

        auto again = create(store, second);

        CHECK(again.id == "r1");
        CHECK_FALSE(again.is_new);
        CHECK(create(store, other).id == "r3");
        CHECK(list(store).size() == 2);
    });
}
TEST_CASE("a taken id is refused, unless the same call is repeated") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto other = run_of("r1");
        other.ticks = ticks(0, {"another start"});

        auto refused = refusal([&] { create(store, other); });

        CHECK(refused.code == Code::usage);
        CHECK(refused.sentence == "the store has a run r1 already: give the new run another id");
        CHECK(create(store, run_of("r1")).is_new);
        CHECK(bodies(load(store, "r1")) == std::vector<std::string>{"start of r1"});
    });
}
TEST_CASE("a store refuses a missing run by name") {
    on_every_store([](Store& store, House&) {
        CHECK(refusal([&] { load(store, "nobody"); }).sentence == "the store has no run nobody");
        CHECK(refusal([&] { send(store, "nobody", "m"); }).code == Code::usage);
        CHECK(refusal([&] { plan(store, "h9"); }).sentence == "the store has no declaration h9");
        Batch batch;
        batch.run = "nobody";
        CHECK(append(store, batch) == AppendReply::fenced);
    });
}
TEST_CASE("records are kept in order, with all their payloads") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto batch = batch_of(store, "r1", {"a", "b"});
        batch.waits_for = "an answer";
        batch.plan = {.hash = "h2", .workflow = "refund", .plan = "[]"};

        CHECK(append(store, batch) == AppendReply::stored);

        auto history = load(store, "r1");
        CHECK(bodies(history) == std::vector<std::string>{"start of r1", "a", "b"});
        CHECK(history.run.next_seq == 3);
        CHECK(history.run.waits_for == "an answer");
        CHECK(history.run.hash == "h2");
        CHECK(plan(store, "h2").plan == "[]");
    });
}
TEST_CASE("a repeated batch is stored once") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto first = batch_of(store, "r1", {"a", "b"});
        append(store, first);
        auto longer = first;
        longer.ticks = ticks(1, {"a", "b", "c"}, load(store, "r1").ticks[0].sum);

        CHECK(append(store, first) == AppendReply::stored);
        CHECK(append(store, longer) == AppendReply::stored);
        CHECK(append(store, first) == AppendReply::stored);

        CHECK(bodies(load(store, "r1")) == std::vector<std::string>{"start of r1", "a", "b", "c"});
    });
}
TEST_CASE("a different record under a taken number is refused") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto batch = batch_of(store, "r1", {"a"});
        append(store, batch);
        batch.ticks[0].sum += 1;

        auto refused = refusal([&] { append(store, batch); });

        CHECK(refused.code == Code::journal);
        CHECK(refused.sentence.find("run r1: tick 1 is stored already with other content") == 0);
    });
}
TEST_CASE("a batch behind a gap is refused") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto batch = batch_of(store, "r1", {"a"});
        batch.seq = 2, batch.ticks[0].seq = 2;

        CHECK(refusal([&] { append(store, batch); }).code == Code::journal);
        batch.ticks[0].seq = 7;
        CHECK(refusal([&] { append(store, batch); }).code == Code::usage);
        CHECK(load(store, "r1").ticks.size() == 1);
    });
}
TEST_CASE("a former owner changes nothing in the store") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto late = batch_of(store, "r1", {"late"});
        late.left = left(RunStatus::done, "late");
        auto leave = batch_of(store, "r1", {});
        leave.left = left(RunStatus::ready);
        append(store, leave);
        REQUIRE(claim(store, {.owner = "bob"}).at(0).epoch == 2);

        CHECK(append(store, late) == AppendReply::fenced);

        auto history = load(store, "r1");
        CHECK(history.ticks.size() == 1);
        CHECK(history.run.owner == "bob");
        CHECK(history.run.outcome.empty());
    });
}
TEST_CASE("an ended run keeps its outcome, and takes nothing more") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto end = batch_of(store, "r1", {"end"});
        end.left = left(RunStatus::failed, "{\"event\":\"RunFailedEvent\"}");
        auto more = end;
        more.seq = 2, more.ticks = ticks(2, {"more"}, end.ticks[0].sum), more.left.reset();

        CHECK(append(store, end) == AppendReply::stored);
        CHECK(append(store, end) == AppendReply::stored);
        CHECK(append(store, more) == AppendReply::fenced);

        auto found = row(store, "r1");
        CHECK(found.status == RunStatus::failed);
        CHECK(found.outcome == "{\"event\":\"RunFailedEvent\"}");
        CHECK(found.owner.empty());
        CHECK_FALSE(send(store, "r1", "m").is_new);
        CHECK(claim(store, {.owner = "bob"}).empty());
    });
}
TEST_CASE("a snapshot shortens what is loaded, and an older one does not replace it") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        auto batch = batch_of(store, "r1", {"a", "b", "c"});
        batch.snapshot = Snapshot{.upto = 3, .body = "state", .sum = chained_sum(0, 3, "state")};
        append(store, batch);
        auto older = batch;
        older.snapshot = Snapshot{.upto = 2, .body = "old", .sum = chained_sum(0, 2, "old")};
        append(store, older);

        auto all = load(store, "r1"), rest = load(store, "r1", ~std::uint64_t{0});

        CHECK(all.ticks.size() == 4);
        CHECK(bodies(rest) == std::vector<std::string>{"c"});
        CHECK(rest.snapshot->body == "state");
        CHECK(load(store, "r1", 1).ticks.size() == 3);
    });
}
TEST_CASE("a run that a call names twice is listed, claimed and deleted once") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1", ""));
        heartbeat(store, "bob");

        CHECK(list(store, {.ids = {"r1", "r1"}}).size() == 1);
        CHECK(claim(store, {.owner = "bob", .ids = {"r1", "r1"}}).size() == 1);
        auto last = batch_of(store, "r1", {"end"});
        last.left = left(RunStatus::done, "{}");
        append(store, last);
        CHECK(prune(store, {.ids = {"r1", "r1"}}) == 1);
    });
}
TEST_CASE("only runs of the owner are listed when a filter has ids and an owner") {
    on_every_store([](Store& store, House&) {
        for (auto* id : {"r1", "r2"}) create(store, run_of(id));
        create(store, run_of("r3", "bob"));

        const auto rows = list(store, {.ids = {"r1", "r3"}, .owner = "bob"});

        REQUIRE(rows.size() == 1);
        CHECK(rows[0].id == "r3");
    });
}
TEST_CASE("a run without the name of its workflow is refused, because a row without it counts as damaged") {
    on_every_store([](Store& store, House&) {
        auto run = run_of("r1");
        run.plan.workflow.clear();
        CHECK(refusal([&] { create(store, run); }).sentence == "run r1 needs the name of its workflow");
        CHECK(list(store).empty());
    });
}
TEST_CASE("a load names a record with a wrong checksum, and skips a snapshot with a wrong checksum") {
    on_every_store([](Store& store, House&) {
        create(store, run_of("r1"));
        create(store, run_of("r2"));
        auto wrong = batch_of(store, "r1", {"a", "b"});
        wrong.ticks[1].sum += 1;
        append(store, wrong);
        auto torn = batch_of(store, "r2", {"a"});
        torn.snapshot = Snapshot{.upto = 2, .body = "state", .sum = 1};
        append(store, torn);

        CHECK(refusal([&] { load(store, "r1"); }).sentence.find("run r1: tick 2 is damaged") == 0);
        CHECK_THROWS_AS(load(store, "r1"), storage::DamagedError);
        auto whole = load(store, "r2", ~std::uint64_t{0});
        CHECK_FALSE(whole.snapshot);
        CHECK(whole.ticks.size() == 2);
    });
}
TEST_CASE("text of any bytes and of any length is stored unchanged") {
    on_every_store([](Store& store, House&) {
        const std::string odd("a\0b\xff\xc3\xe2\x82 '\"\n", 11), big(300'000, 'x');
        const std::string id = "'\"; \xc3\xa9%_";  // without control characters
        auto run = run_of(id);
        run.options = odd, run.start_key = odd, run.ticks = ticks(0, {odd});
        create(store, run);
        create(store, run_of("'"));
        auto batch = batch_of(store, id, {big, "", odd});
        batch.waits_for = odd;

        CHECK(append(store, batch) == AppendReply::stored);
        CHECK(load(store, id).run.waits_for == odd);
        CHECK(send(store, id, odd, odd + odd).is_new);

        auto history = load(store, id);
        CHECK(bodies(history) == std::vector<std::string>{odd, big, "", odd});
        CHECK(history.run.id == id);
        CHECK(history.run.options == odd);
        CHECK(history.run.waits_for.empty());  // this mail may be the awaited answer
        CHECK(history.mail.at(0).id == odd);
        CHECK(history.mail.at(0).body == odd + odd);
        CHECK(list(store, {.ids = {id}}).size() == 1);
    });
}
