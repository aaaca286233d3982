// Workers on a shared store: claimed and skipped runs, freed runs, and descriptions of workers.
#include "tests/workflows/worker_process.hpp"
#include <doctest/doctest.h>

using namespace workers;

TEST_SUITE_BEGIN("threads");
TEST_CASE("a worker takes as many runs as it has slots, by priority and then by age, of its queues and workflows") {
    Place place;
    Shop shop;
    const auto stored = durable<>(order.with(shop));
    place.put(stored, "old");
    place.put(stored, "urgent", {.priority = 5});
    place.put(stored, "elsewhere", {.queue = "slow", .priority = 9});
    place.put(stored, "young", {}, 0);
    place.put(durable<>(careful), "careful", {.priority = 9});
    Process process(place, {.slots = 2, .queues = {"default"}});
    process.worker.offer({process.offer(stored)});

    CHECK(process.fill() == 2);
    CHECK(process.worker.used() == 2);
    CHECK(process.fill() == 0);
    CHECK(row_of(place.store, "urgent").status == RunStatus::running);
    CHECK(row_of(place.store, "old").status == RunStatus::running);
    CHECK(row_of(place.store, "young").status == RunStatus::ready);

    until([&] { return shop.packing == 2; });
    process.engine.wait(do_nothing());  // now both steps wait
    place.clock.advance(1000s);
    until([&] { return shop.sent == 2; });
    until([&] { return process.fill() == 1; });
    until([&] { return shop.sent == 3; });
    CHECK(row_of(place.store, "elsewhere").status == RunStatus::ready);
    CHECK(row_of(place.store, "careful").status == RunStatus::ready);
}
TEST_CASE("a waiting run takes no slot, and returns when it has mail") {
    Place place;
    const auto stored = durable<>(careful);
    place.put(stored, "c");
    Process process(place, {.slots = 1});
    process.worker.offer({process.offer(stored)});
    CHECK(process.fill() == 1);

    until([&] { return row_of(place.store, "c").status == RunStatus::waiting; });
    until([&] { return process.fill() == 0 && process.worker.used() == 0; });
    place.store.send({"c", "m", R"({"event": "YesEvent", "data": {}})"}, [](std::exception_ptr, storage::SendReply) {});

    until([&] { return process.fill() == 1; });
    until([&] { return row_of(place.store, "c").status == RunStatus::done; });
    until([&] { return process.fill() == 0 && process.worker.used() == 0; });
}
TEST_CASE("a run that this worker cannot continue is freed, skipped and reported with the reason") {
    Place place;
    Shop shop;
    const auto stored = durable<>(order.with(shop));
    place.put(stored, "bad", {.priority = 1});
    place.put(stored, "good", {}, 0);
    std::vector<std::string> notes;
    Process process(place,
                    {.slots = 5, .queues = {}, .note = [&](std::string_view text) { notes.emplace_back(text); }});
    auto offer = process.offer(stored);
    offer.resume = [inner = offer.resume](const RunRow& row, const RunOptions& options) {
        if (row.id == "bad") throw Error(Code::usage, "it was begun with --db");
        return inner(row, options);
    };
    process.worker.offer({offer});

    CHECK(process.fill() == 1);
    CHECK(process.fill() == 0);

    CHECK(row_of(place.store, "bad").status == RunStatus::ready);
    until([&] { return row_of(place.store, "good").status == RunStatus::done; });
    const auto info = process.worker.info();
    REQUIRE(info.refused.size() == 1);
    CHECK(info.refused[0].run == "bad");
    CHECK(info.refused[0].workflow == "order");
    CHECK(info.refused[0].why == "it was begun with --db");
    REQUIRE(notes.size() == 1);
    CHECK(notes[0] == "this worker cannot continue run bad: it was begun with --db");
}
TEST_CASE(
    "a worker frees a run without a refusal, and takes the next one, when another part of its process executes it") {
    Place place;
    Shop shop;
    const auto stored = durable<>(order.with(shop));
    place.put(stored, "other", {.priority = 1}, 0);
    place.put(stored, "own", {}, 0);
    std::atomic<bool> leaves = true;
    Process process(place, {.slots = 1, .leaves = [&](const RunRow& row) { return leaves && row.id == "other"; }});
    process.worker.offer({process.offer(stored)});

    CHECK(process.fill() == 0);
    CHECK(process.fill() == 1);
    until([&] { return shop.sent == 1; });
    CHECK(row_of(place.store, "other").status == RunStatus::ready);
    CHECK(process.worker.info().refused.empty());
    leaves = false;
    place.clock.advance(2s);
    until([&] { return process.fill() == 1; });
    until([&] { return shop.sent == 2; });
}
TEST_CASE("any number of runs refused by a worker delay no other run") {
    Place place;
    Shop shop;
    const auto stored = durable<>(order.with(shop));
    for (int i = 0; i < 1100; ++i) {
        storage::NewRun run;
        run.id = "bad " + std::to_string(i);
        run.priority = 1;
        run.plan = {stored.definition->durable->hash, "order", stored.definition->durable->plan};
        place.clock.advance(1ms);
        answer_of<storage::CreateReply>([&](auto then) { place.store.create(run, then); });
    }
    place.put(stored, "good", {}, 0);
    std::size_t notes = 0;
    Process process(place, {.note = [&](std::string_view) { ++notes; }});
    auto offer = process.offer(stored);
    offer.resume = [resume = offer.resume](const RunRow& row, const RunOptions& options) {
        if (row.id.starts_with("bad")) throw Error(Code::usage, "it is bad");
        return resume(row, options);
    };
    process.worker.offer({offer});

    for (int claims = 0; claims < 30 && shop.sent == 0; ++claims) (void)process.fill();
    until([&] { return shop.sent == 1; });
    CHECK(row_of(place.store, "bad 0").epoch == 1);
    CHECK(notes < 30);
}
TEST_CASE("a run lost by its worker again and again is skipped only if it makes no step in between") {
    for (const bool climbs : {true, false}) {
        CAPTURE(climbs);
        Place place;
        Shop shop;
        const auto stored = durable<>(stairs.with(shop));
        place.put(stored, "s");
        Process process(place);
        process.worker.offer({process.offer(stored)});

        for (int i = 0; i < 4; ++i) {  // the first time it always makes a step
            const int before = shop.packing;
            until([&] { return process.fill() == 1; });
            until([&] { return shop.packing == before + 1; });
            until([&] {  // the step may not have begun to wait yet
                if (climbs) place.clock.advance(1ms);
                return shop.packing > before + climbs;
            });
            const auto owner = row_of(place.store, "s").owner;
            answer_of<storage::HeartbeatReply>([&](auto then) {
                place.store.heartbeat({owner, 0, ""}, then);
            });                       // simulates the end of its lease
            place.clock.advance(1s);  // now the run has another owner
            until([&] {
                process.worker.finish();
                return process.worker.used() == 0;
            });
        }

        CHECK(process.worker.info().refused.empty() == climbs);
    }
}
TEST_CASE("a worker works until it is stopped, from any thread") {
    Place place;
    Shop shop;
    const auto stored = durable<>(order.with(shop));
    for (int i = 0; i < 20; ++i) place.put(stored, "r" + std::to_string(i), {}, 0);
    Process process(place, {.slots = 3});
    process.worker.offer({process.offer(stored)});
    std::jthread working([&] { process.worker.work(process.engine, place.store); });

    until([&] { return shop.sent == 20; });
    process.worker.stop();
    working.join();

    process.engine.leave_all(1s);
    place.put(stored, "late");
    CHECK(process.fill() == 0);
}
TEST_CASE("an idle worker claims a run at once after a hint") {
    Place place;
    Shop shop;
    const auto stored = durable<>(order.with(shop));
    std::atomic<int> rounds = 0;
    Process process(place, {.rest = 1h, .each_round = [&] { ++rounds; }});
    process.worker.offer({process.offer(stored)});
    std::jthread works([&] { process.worker.work(process.engine, place.store); });
    until([&] { return rounds > 0; });

    place.put(stored, "a", {}, 0);
    place.store.hint("");

    until([&] { return shop.sent == 1; });
    process.worker.stop();
}
TEST_SUITE_END();
TEST_CASE("a worker's description is read back, and an invalid text is ignored") {
    Shop shop;
    const auto stored = durable<>(order.with(shop));
    Worker worker({.slots = 7, .queues = {"a", "b"}});
    worker.offer({{"order", stored.definition->durable->hash, nullptr}});
    const auto info = catalog::read_worker_info(worker.tell());

    REQUIRE(info);
    CHECK(info->slots == 7);
    CHECK(info->used == 0);
    CHECK(info->queues == std::vector<std::string>{"a", "b"});
    CHECK(info->workflows.at("order") == stored.definition->durable->hash);
    CHECK(info->process.find(':') != std::string::npos);
    for (auto text : {"", "{}", "[1]", "no JSON", R"({"slots": -1})"}) CHECK_FALSE(catalog::read_worker_info(text));
}
