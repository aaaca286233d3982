// NewRun::debounce, for every store: the last start of a burst is the run's, and a window has one run.
#include "tests/engine/store/conformance.hpp"
#include <doctest/doctest.h>
#include <set>
#include <thread>

using namespace stores;

namespace {
constexpr std::int64_t a_minute = 60LL * 1'000'000;
NewRun debounced_run(House& house, const std::string& id, std::int64_t wait = a_minute) {
    auto run = run_of(id, "");
    run.debounce = "customer 7";
    run.not_before = house.time + wait;
    return run;
}
std::vector<RunRow> claim_all(Store& store, const std::string& owner = "bob") {
    heartbeat(store, owner);
    return claim(store, {.owner = owner});
}
std::string text_of(Store& store, const std::string& id) { return bodies(load(store, id)).at(0); }
}

TEST_CASE("the last start of a burst replaces the earlier ones and moves the time") {
    on_every_store([](Store& store, House& house) {
        CHECK(create(store, debounced_run(house, "r1")).is_new);
        auto last = debounced_run(house, "r2", 2 * a_minute);
        last.plan = {.hash = "h2", .workflow = "refund", .plan = R"({"newer": true})"};
        last.options = "{\"model\":\"n\"}";
        last.queue = "slow";
        last.priority = 7;

        const auto reply = create(store, last);

        CHECK(reply.id == "r1");
        CHECK_FALSE(reply.is_new);
        REQUIRE(list(store).size() == 1);
        const auto run = row(store, "r1");
        CHECK(waits_to_begin(run));
        CHECK(run.wake_at == last.not_before);
        CHECK(run.options == last.options);
        CHECK(run.queue == "slow");
        CHECK(run.priority == 7);
        CHECK(run.hash == "h2");
        CHECK(run.next_seq == 1);
        CHECK(text_of(store, "r1") == "start of r2");
        CHECK(plan(store, "h2").plan == last.plan.plan);
        house.time += 2 * a_minute;
        CHECK(claim_all(store).size() == 1);
        CHECK(claim_all(store).empty());
    });
}
TEST_CASE("a start adds a run when its debounce key or its workflow differs") {
    on_every_store([](Store& store, House& house) {
        create(store, debounced_run(house, "r1"));
        auto other_key = debounced_run(house, "r2"), other_workflow = debounced_run(house, "r3");
        other_key.debounce = "customer 8";
        other_workflow.plan.workflow = "mail";

        CHECK(create(store, other_key).is_new);
        CHECK(create(store, other_workflow).is_new);

        CHECK(list(store).size() == 3);
        CHECK(text_of(store, "r1") == "start of r1");
    });
}
TEST_CASE("a start after the run has begun, was cancelled or has ended creates a new run") {
    on_every_store([](Store& store, House& house) {
        create(store, debounced_run(house, "r1"));
        house.time += 2 * a_minute;
        REQUIRE(claim_all(store).size() == 1);
        CHECK(create(store, debounced_run(house, "r2")).id == "r2");

        const Mail cancel{.run = "r2", .id = "cancel", .body = "{}", .is_urgent = true};
        answer_of<SendReply>([&](auto then) { store.send(cancel, then); });
        CHECK(create(store, debounced_run(house, "r3")).id == "r3");

        REQUIRE(claim_all(store).size() == 1);  // r2
        auto end = batch_of(store, "r2", {"end"});
        end.left = left(RunStatus::cancelled, "{}");
        append(store, end);
        CHECK(create(store, debounced_run(house, "r4")).id == "r3");
        CHECK(list(store).size() == 3);
    });
}
TEST_CASE("a burst without end begins at the latest after the longest time of its first start") {
    on_every_store([](Store& store, House& house) {
        auto first = debounced_run(house, "r1");
        first.longest = 3 * a_minute;
        create(store, first);
        const auto last_start = row(store, "r1").created_at + 3 * a_minute;
        for (int i = 0; i < 5; ++i) {
            house.time += a_minute / 2;
            auto later = debounced_run(house, "s" + std::to_string(i));
            later.longest = 1;  // has no effect
            create(store, later);
        }
        CHECK(row(store, "r1").wake_at == last_start);

        house.time += a_minute;
        REQUIRE(claim_all(store).size() == 1);
        CHECK(text_of(store, "r1") == "start of s4");
        CHECK(create(store, debounced_run(house, "r2")).is_new);
    });
}
TEST_CASE("a start with a past time makes the waiting run due, and a first one is due at once") {
    on_every_store([](Store& store, House& house) {
        create(store, debounced_run(house, "r1"));
        CHECK(create(store, debounced_run(house, "r2", -1)).id == "r1");
        CHECK(claim_all(store).size() == 1);

        CHECK(create(store, debounced_run(house, "r3", -1)).is_new);
        CHECK(claim_all(store).size() == 1);
    });
}
TEST_CASE("a repeated start takes effect once, also after later starts and after the begin of its run") {
    on_every_store([](Store& store, House& house) {
        const auto first = debounced_run(house, "r1"), second = debounced_run(house, "r2"),
                   third = debounced_run(house, "r3");
        create(store, first), create(store, second), create(store, third);

        CHECK(create(store, first).is_new);
        CHECK(create(store, second).id == "r1");
        CHECK(text_of(store, "r1") == "start of r3");

        house.time += 2 * a_minute;
        REQUIRE(claim_all(store).size() == 1);
        create(store, debounced_run(house, "r4"));
        CHECK(create(store, first).is_new);
        CHECK(create(store, second).id == "r1");
        CHECK(create(store, third).id == "r1");
        CHECK(list(store).size() == 2);
        CHECK(text_of(store, "r4") == "start of r4");
    });
}
TEST_CASE("many starts leave one run, and the last of them are remembered") {
    on_every_store([](Store& store, House& house) {
        for (int i = 0; i < 600; ++i) create(store, debounced_run(house, "start number " + std::to_string(i)));
        CHECK(list(store).size() == 1);
        house.time += 2 * a_minute;
        REQUIRE(claim_all(store).size() == 1);
        for (int i = 500; i < 600; ++i)
            CHECK(create(store, debounced_run(house, "start number " + std::to_string(i))).id == "start number 0");
        CHECK(list(store).size() == 1);
    });
}
TEST_CASE("mail that came before a later start stays with the run") {
    on_every_store([](Store& store, House& house) {
        create(store, debounced_run(house, "r1"));
        send(store, "r1", "m1");
        create(store, debounced_run(house, "r2"));
        CHECK(load_mail(store, "r1").size() == 1);
        CHECK(row(store, "r1").mail == 1);
    });
}
TEST_CASE("a later start moves its run to the key of its own values and to its own queue") {
    on_every_store([](Store& store, House& house) {
        answer_of<bool>(
            [&](auto then) { store.set_limits({.queue = "mail", .per = "value.tenant", .running_per_key = 1}, then); });
        const auto start = [&](const std::string& id, const std::string& tenant, const std::string& queue) {
            auto run = debounced_run(house, id);
            run.queue = queue;
            run.ticks = ticks(0, {R"({"at": 0, "values": {"tenant": ")" + tenant + "\"}}"});
            return run;
        };
        auto busy = start("busy", "a", "mail");
        busy.debounce = "another";
        create(store, busy);
        create(store, start("r1", "a", "default"));
        create(store, start("r2", "a", "mail"));
        house.time += 2 * a_minute;
        CHECK(claim_all(store).size() == 1);  // of two runs of tenant a

        create(store, start("r3", "b", "default"));  // r1 is ready, so this is a new run
        create(store, start("r4", "b", "mail"));
        house.time += 2 * a_minute;
        const auto rows = claim_all(store);
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].id == "r3");
    });
}
TEST_CASE("starts with one debounce key from many threads make one run for each window") {
    on_every_store([](Store& store, House& house) {
        std::set<std::string> claimed;
        for (int window = 0; window < 3; ++window) {
            std::atomic<int> added = 0;
            std::vector<std::jthread> threads;
            for (int n = 0; n < 4; ++n)
                threads.emplace_back([&, n] {
                    for (int i = 0; i < 20; ++i) {
                        const auto id = std::to_string(window) + "." + std::to_string(n) + "." + std::to_string(i);
                        added += create(store, debounced_run(house, id)).is_new;
                    }
                });
            threads.clear();
            CHECK(added == 1);
            house.time += 2 * a_minute;
            for (auto& run : claim_all(store)) claimed.insert(run.id);
        }
        CHECK(claimed.size() == 3);
        CHECK(list(store).size() == 3);
    });
}
TEST_CASE("a store refuses a debounce key when the run has no first time or the key is not one short line") {
    on_every_store([](Store& store, House& house) {
        const auto refused = [&](const std::function<void(NewRun&)>& spoil) {
            auto run = debounced_run(house, "r1");
            spoil(run);
            const auto refusal = stores::refusal([&] { create(store, run); });
            CHECK(refusal.code == Code::usage);
            return refusal.sentence;
        };
        const std::string needs = "run r1 has a debounce key: it needs a first time and just tick 0, and can neither "
                                  "have a key nor be a fork";
        CHECK(refused([](auto& run) { run.not_before.reset(); }) == needs);
        CHECK(refused([](auto& run) { run.start_key = "A-17"; }) == needs);
        CHECK(refused([](auto& run) { run.forked_from = "r0"; }) == needs);
        CHECK(refused([](auto& run) { run.ticks.clear(); }) == needs);
        CHECK(refused([](auto& run) { run.longest = 0; }).find("more than 0 s and at most 366 days") !=
              std::string::npos);
        CHECK(refused([](auto& run) { run.longest = longest_debounce + 1; }).find("366 days") != std::string::npos);
        CHECK(
            refused([](auto& run) { run.debounce = "a\nb"; }).starts_with("a debounce key is one line of at most 200"));
        CHECK(
            refused([](auto& run) { run.debounce = std::string(201, 'x'); }).starts_with("a debounce key is one line"));
        CHECK(list(store).empty());
        create(store, run_of("r1"));
        CHECK(refused([](auto&) {}).starts_with("the store has a run r1 already"));
        auto one = debounced_run(house, "r2");
        CHECK(refusal([&] {
                  answer_of<std::vector<CreateReply>>([&](auto then) { store.create_all({one}, then); });
              }).sentence.find("create it alone") != std::string::npos);
    });
}
#ifdef WEFT_POSTGRES_PROGRAMS
TEST_CASE("two stores at once make one run for each window of a debounce key") {
    House house("PostgreSQL");
    PostgresStore other(PostgresServer::shared().url(), PostgresOptions{.now = [&] { return ++house.time; }});
    for (int window = 0; window < 4; ++window) {
        std::atomic<int> added = 0;
        std::vector<std::jthread> threads;
        for (int n = 0; n < 4; ++n)
            threads.emplace_back([&, n] {
                Store& store = n % 2 ? other : *house;
                for (int i = 0; i < 25; ++i) {
                    const auto id = std::to_string(window) + "." + std::to_string(n) + "." + std::to_string(i);
                    auto run = debounced_run(house, id);
                    run.debounce = "key " + std::to_string((i + n) % 5);
                    added += create(store, run).is_new;
                }
            });
        threads.clear();
        CHECK(added == 5);
        house.time += 2 * a_minute;
        CHECK(claim_all(*house).size() == 5);
    }
    CHECK(list(other).size() == 20);
}
TEST_CASE("starts of one thread take effect in their order beside another store") {
    House house("PostgreSQL");
    PostgresStore other(PostgresServer::shared().url(), PostgresOptions{.now = [&] { return ++house.time; }});
    for (int round = 0; round < 20; ++round) {
        const auto key = "key " + std::to_string(round);
        std::atomic<int> left = 40;
        const auto burst = [&](Store& store, const std::string& name) {
            for (int i = 0; i < 20; ++i) {
                auto run = debounced_run(house, name + std::to_string(i));
                run.debounce = key;
                store.create(run, [&](std::exception_ptr error, CreateReply) {
                    CHECK_FALSE(error);
                    --left;
                });
            }
        };
        {
            std::jthread one([&] { burst(*house, key + "a"); }), two([&] { burst(other, key + "b"); });
        }
        while (left > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::string run;
        for (auto& each : list(*house))
            if (each.id.starts_with(key + "a") || each.id.starts_with(key + "b")) {
                CHECK(run.empty());
                run = each.id;
            }
        CHECK(text_of(*house, run).ends_with("19"));
    }
}
#endif
