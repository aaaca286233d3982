// A store of several databases of PostgreSQL: its growth, the fence against processes that do not know of it, and a
// database that is away.
#include "engine/core/run_log.hpp"
#include "engine/store/postgres_shards.hpp"
#include "engine/store/sharded_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_server.hpp"
#include <atomic>
#include <doctest/doctest.h>
#include <future>
#include <thread>

using namespace stores;

namespace {
/// Databases without tables on the shared server.
std::vector<std::string> empty_databases(std::size_t count) {
    auto& server = PostgresServer::shared();
    std::vector<std::string> urls;
    for (std::size_t i = 0; i < count; ++i) {
        const auto name = "shard" + std::to_string(i);
        if (server.value_of("select count(*) from pg_database where datname = '" + name + "'") == "0")
            server.sql("create database " + name + " owner weft");
        server.sql("drop schema if exists weft cascade", name);
        urls.push_back(server.url(name));
    }
    return urls;
}
std::vector<std::string> first(const std::vector<std::string>& urls, std::size_t count) {
    return {urls.begin(), urls.begin() + std::ptrdiff_t(count)};
}
/// A further call, not a repetition of an earlier one.
NewRun keyed(int number) {
    static std::atomic<int> calls = 0;
    auto run = run_of("refund:" + std::to_string(number), "");
    run.start_key = std::to_string(number);
    run.ticks = ticks(0, {"call " + std::to_string(++calls)});
    return run;
}
/// The store of four processes that begin at the same moment.
std::vector<std::unique_ptr<Store>> opened_at_once(const std::vector<std::string>& urls) {
    std::vector<std::future<std::unique_ptr<Store>>> opening;
    for (int process = 0; process < 4; ++process)
        opening.push_back(std::async(std::launch::async, [&] { return open_postgres_shards(urls); }));
    std::vector<std::unique_ptr<Store>> stores;
    for (auto& each : opening) stores.push_back(each.get());
    return stores;
}
bool says(const std::string& sentence, const std::string& part) { return sentence.find(part) != sentence.npos; }
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("each key has one run when a database with runs grows to three") {
    const auto urls = empty_databases(3);
    {
        PostgresStore one(urls[0]);
        for (int i = 0; i < 20; ++i) create(one, keyed(i));
    }
    for (const std::size_t size : {2, 3}) {
        const auto store = open_postgres_shards(first(urls, size));
        for (int i = 0; i < int(size) * 20; ++i) {
            CHECK(create(*store, keyed(i)).is_new == (i >= int(size - 1) * 20));
            CHECK(load(*store, keyed(i).id).run.start_key == std::to_string(i));
        }
        CHECK(list(*store).size() == size * 20);
    }
    PostgresServer& server = PostgresServer::shared();
    CHECK(server.value_of("select sizes from weft.meta", "shard2") == "1,2,3");
    CHECK(server.value_of("select count(*) > 0 from weft.runs", "shard2") == "t");
}
TEST_CASE("several processes open a new store of several databases when they start at once") {
    for (int round = 0; round < 5; ++round) {
        const auto urls = empty_databases(3);
        for (const auto& store : opened_at_once(urls)) CHECK(list(*store).empty());
        CHECK(list(*open_postgres_shards(urls)).empty());
    }
}
TEST_CASE("the limit of a queue holds over all databases when a store grows to four by several processes at once") {
    const auto urls = empty_databases(4);
    {
        PostgresStore one(urls[0]);
        QueueLimits limits{.queue = "default", .running = 11, .per = "value.tenant", .running_per_key = 6};
        limits.starts = 60, limits.seconds = 1;
        answer_of<bool>([&](auto then) { one.set_limits(limits, then); });
    }
    for (const std::size_t size : {2, 4}) {
        for (const auto& store : opened_at_once(first(urls, size))) {
            const auto limits = survey(*store).flows.at(0).limits;
            CHECK(limits.running == 11);
            CHECK(limits.per == "value.tenant");
            CHECK(limits.running_per_key == 6);
            CHECK(limits.starts == 60);
            CHECK(limits.seconds == 1);
        }
    }
    const auto store = open_postgres_shards(urls);
    for (int i = 0; i < 80; ++i) create(*store, keyed(i));
    CHECK(claim(*store, {.owner = "ann"}).size() == 6);  // these runs have no tenant, which is one key

    CHECK(PostgresServer::shared().value_of("select running from weft.queues", "shard3") == "2");
}
TEST_CASE("a store grows while workers claim within limits, and neither waits for the other for ever") {
    const auto urls = empty_databases(2);
    PostgresStore one(urls[0]), other(urls[0]);
    answer_of<bool>([&](auto then) { one.set_limits({.queue = "default", .running = 10}, then); });
    for (int i = 0; i < 40; ++i) create(one, keyed(i));
    std::atomic<int> claimed = 0;
    std::vector<std::jthread> workers;
    for (auto* store : {&one, &other})
        workers.emplace_back([&claimed, store](const std::stop_token& stops) {
            while (!stops.stop_requested())
                for (const auto& row : claim(*store, {.owner = "ann", .most = 1})) {
                    ++claimed;
                    append(*store, core::given_back(row.id, row.epoch, row.next_seq));
                }
        });
    const auto wait_for_claims = [&] {
        for (const int before = claimed; claimed < before + 20;) std::this_thread::yield();
    };
    wait_for_claims();

    const auto store = open_postgres_shards(urls);

    wait_for_claims();
    workers.clear();
    CHECK(survey(*store).flows.at(0).limits.running == 10);
    CHECK(PostgresServer::shared().value_of("select running from weft.queues", "shard0") == "5");
}
TEST_CASE("a process that knows fewer databases creates no run and sets no limits when the store has grown") {
    const auto urls = empty_databases(2);
    PostgresStore alone(urls[0]);
    create(alone, keyed(0));

    const auto store = open_postgres_shards(urls);

    auto late = run_of("late", "");
    late.not_before = 4'000'000'000'000'000, late.debounce = "burst";
    for (const auto& run : {keyed(1), late}) {
        const auto refused = refusal([&] { create(alone, run); });
        CHECK(refused.code == Code::configuration);
        CHECK(says(refused.sentence, "the store has 2 databases, and this process knows 1 of them"));
    }
    CHECK(refusal([&] {
              answer_of<std::vector<CreateReply>>([&](auto then) { alone.create_all({keyed(1)}, then); });
          }).code == Code::configuration);
    for (const auto running : {std::optional(1U), std::optional<std::uint32_t>()})  // sets and removes limits
        CHECK(refusal([&] {
                  answer_of<bool>([&](auto then) { alone.set_limits({.queue = "mail", .running = running}, then); });
              }).code == Code::configuration);
    CHECK(list(*store).size() == 1);
    CHECK_FALSE(create(alone, keyed(0)).is_new);  // known before
    CHECK(append(alone, [&] {
              claim(alone, {.owner = "ann", .ids = {keyed(0).id}});
              return batch_of(alone, keyed(0).id, {"next"});
          }()) == AppendReply::stored);
    CHECK(says(refusal([&] { PostgresStore again(urls[1]); }).sentence, "the store has 2 databases"));
    CHECK(says(refusal([&] { open_postgres_shards({urls[1], urls[0]}); }).sentence, "is number 2"));
}
TEST_CASE("two processes grow a store at once, and each key still has one run") {
    const auto urls = empty_databases(3);
    { open_postgres_shards(first(urls, 2)); }
    std::vector<std::future<std::size_t>> all;
    for (int process = 0; process < 4; ++process)
        all.push_back(std::async(std::launch::async, [&, process] {
            std::size_t made = 0;
            const auto store = open_postgres_shards(first(urls, process % 2 == 0 ? 2 : 3));
            for (int i = 0; i < 60; ++i) try {
                    made += create(*store, keyed(i)).is_new;
                } catch (const Error& error) {
                    if (error.code() != Code::configuration) throw;
                }
            return made;
        }));
    std::size_t made = 0;
    for (auto& each : all) try {
            made += each.get();
        } catch (const Error& error) {  // it was started with the short list after the growth
            CHECK(says(error.what(), "3 databases"));
        }
    const auto store = open_postgres_shards(urls);
    CHECK(made == 60);
    CHECK(list(*store).size() == 60);
}
TEST_CASE("the other databases serve, and the last one joins them, when it was away at the start") {
    const auto urls = empty_databases(2);
    PostgresServer other;
    const std::vector<std::string> all{urls[0], urls[1], other.url()};
    { open_postgres_shards(all); }
    other.kill();
    std::vector<std::string> notes;
    PostgresOptions options;
    options.connect_ms = 2000;
    options.note = [&](const StoreNote& note) { notes.push_back(note.text); };

    const auto store = open_postgres_shards(all, options);

    CHECK(notes.size() == 1);
    std::string here, there;
    for (int i = 0; here.empty() || there.empty(); ++i)
        (ShardedStore::place("r" + std::to_string(i), 3) == 2 ? there : here) = "r" + std::to_string(i);
    CHECK(create(*store, run_of(here, "")).is_new);
    CHECK(refusal([&] { create(*store, run_of(there, "")); }).code == Code::journal);
    CHECK(refusal([&] { list(*store); }).code == Code::journal);
    other.start();
    for (bool is_back = false; !is_back;) try {
            is_back = create(*store, run_of(there, "")).is_new;
        } catch (const Error& error) { CHECK(error.code() == Code::journal); }
    CHECK(list(*store).size() == 2);
}
TEST_SUITE_END();
