// The PostgreSQL store's promises beyond the interface: several processes, lost connections, no password in texts.
#include "engine/store/postgres/schema.hpp"
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/socket_proxy.hpp"
#include <algorithm>
#include <atomic>
#include <doctest/doctest.h>
#include <future>

using namespace stores;

namespace {
PostgresServer& cleared_server() {
    auto& server = PostgresServer::shared();
    server.clear();
    return server;
}
std::string proxied(const SocketProxy& proxy) { return "postgres://weft@/postgres?host=" + proxy.folder(); }
std::string refused_database(const std::string& url) {
    const auto refused = refusal([&] { PostgresStore store(url); });
    CHECK(refused.code == Code::configuration);
    return refused.sentence;
}
/// Stores the next tick of a run, to check that the store works.
Batch tick_after(const Batch& before, const std::string& body) {
    auto next = before;
    next.seq += before.ticks.size();
    next.ticks = ticks(next.seq, {body}, before.ticks.back().sum);
    return next;
}
Batch first_tick(const std::string& id, const std::string& body, std::uint64_t epoch = 1) {
    Batch batch;
    batch.run = id, batch.epoch = epoch, batch.seq = 1;
    batch.ticks = ticks(1, {body}, ticks(0, {"start of " + id})[0].sum);
    return batch;
}
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("two stores of one database take each run once, and see each other's runs") {
    auto& server = cleared_server();
    PostgresStore first(server.url()), second(server.url());
    for (int i = 0; i < 60; ++i) create(first, run_of("r" + std::to_string(i), ""));
    std::vector<std::future<std::vector<std::string>>> all;

    for (int i = 0; i < 4; ++i)
        all.push_back(std::async(std::launch::async, [&, i] {
            std::vector<std::string> got;
            auto& store = i % 2 ? first : second;
            for (;;) {
                auto rows = claim(store, {.owner = "o" + std::to_string(i), .most = 4});
                if (rows.empty() && list(store, {.statuses = {RunStatus::ready}}).empty()) return got;
                for (auto& row : rows) got.push_back(row.id);
            }
        }));
    std::vector<std::string> got;
    for (auto& each : all)
        for (auto& id : each.get()) got.push_back(id);

    std::sort(got.begin(), got.end());
    CHECK(got.size() == 60);
    CHECK(std::adjacent_find(got.begin(), got.end()) == got.end());
    CHECK(list(first, {.statuses = {RunStatus::running}}).size() == 60);
}
TEST_CASE("claims of one owner by several threads do not replace each other") {
    PostgresStore store(cleared_server().url());
    constexpr int each = 150;
    std::vector<std::future<int>> all;
    for (int t = 0; t < 4; ++t)
        for (int i = 0; i < each; ++i) create(store, run_of(std::to_string(t) + " " + std::to_string(i), ""));

    for (int t = 0; t < 4; ++t)
        all.push_back(std::async(std::launch::async, [&store, t] {
            int got = 0;
            for (int i = 0; i < each; ++i)
                got += int(claim(store, {.owner = "o", .ids = {std::to_string(t) + " " + std::to_string(i)}}).size());
            return got;
        }));

    for (auto& got : all) CHECK(got.get() == each);
}
TEST_CASE("an engine that sends heartbeats but has no connection for storing loses its lease") {
    auto& server = cleared_server();
    { PostgresStore tables(server.url()); }
    server.sql("create role narrow login connection limit 1; grant usage on schema weft to narrow; "
               "grant all on all tables in schema weft to narrow");
    {
        std::promise<bool> created;
        PostgresStore store(server.url("postgres", "narrow"), {.patience_ms = 3000});
        CHECK(heartbeat(store, "o").alive);
        store.create(run_of("r"), [&](std::exception_ptr error, CreateReply) { created.set_value(!error); });

        std::string refused;
        while (refused.empty()) try {
                heartbeat(store, "o");
            } catch (const Error& error) { refused = error.what(); }
        CHECK(refused.find("too many connections") != std::string::npos);

        server.sql("alter role narrow connection limit -1");
        CHECK(created.get_future().get());
        CHECK(heartbeat(store, "o").alive);
    }
    server.sql("drop owned by narrow; drop role narrow");
}
TEST_CASE("mail arriving while a run is being left is never missed") {
    auto& server = cleared_server();
    PostgresStore owner(server.url()), sender(server.url());
    for (int i = 0; i < 100; ++i) {
        const auto id = "r" + std::to_string(i);
        create(owner, run_of(id));
        auto leave = first_tick(id, "asked");
        leave.left = left(RunStatus::waiting);

        auto sent = std::async(std::launch::async, [&] { return send(sender, id, "m").is_new; });
        const auto answer = append(owner, leave);

        CHECK(sent.get());
        const auto status = row(owner, id).status;
        CHECK(status == (answer == AppendReply::has_mail ? RunStatus::running : RunStatus::ready));
    }
}
TEST_CASE("a server killed again and again loses no acknowledged record and no call") {
    auto& server = cleared_server();
    PostgresStore store(server.url());
    const std::size_t runs = 8, length = 60;
    for (std::size_t i = 0; i < runs; ++i) create(store, run_of("r" + std::to_string(i)));
    std::atomic<std::size_t> acknowledged{0};
    std::vector<std::future<void>> all;

    for (std::size_t i = 0; i < runs; ++i)
        all.push_back(std::async(std::launch::async, [&, id = "r" + std::to_string(i)] {
            auto batch = first_tick(id, "1");
            for (std::size_t n = 1; n <= length; ++n) {
                write_log(store, entries_of(id, n - 1, {std::to_string(n)}));
                if (append(store, batch) != AppendReply::stored) throw std::logic_error(id);
                batch = tick_after(batch, std::to_string(n + 1));
                acknowledged.fetch_add(1);
                acknowledged.notify_all();
            }
        }));
    for (std::size_t kills = 1; kills <= 3; ++kills) {
        for (auto now = acknowledged.load(); now < kills * runs * length / 5; now = acknowledged.load())
            acknowledged.wait(now);
        server.kill();
        server.start();
    }

    for (auto& each : all) CHECK_NOTHROW(each.get());
    for (std::size_t i = 0; i < runs; ++i) {
        const auto id = "r" + std::to_string(i);
        const auto found = bodies(load(store, id));
        REQUIRE(found.size() == length + 1);
        for (std::size_t n = 1; n <= length; ++n) CHECK(found[n] == std::to_string(n));
        CHECK(read_log(store, id).next == length);
    }
}
TEST_CASE("a call takes effect once, whichever answer is lost") {
    auto& server = cleared_server();
    SocketProxy proxy(server.socket());
    std::int64_t whole = 0;  // bytes of the answers to one run's calls
    int rounds = 0;

    for (std::int64_t cut = -1; cut < whole; cut += 1 + whole / 40, ++rounds) {
        CAPTURE(cut);
        const auto id = "r" + std::to_string(rounds);
        PostgresStore store(proxied(proxy));
        const auto before = proxy.passed();
        proxy.lose_after(cut);
        auto made = run_of(id, "");
        made.queue = id;
        CHECK(create(store, made).is_new);
        CHECK(heartbeat(store, "ann", 3'600'000).alive);
        const auto claimed = claim(store, {.owner = "ann", .queues = {id}});
        REQUIRE(claimed.size() == 1);
        CHECK(claimed[0].id == id);
        CHECK(claimed[0].epoch == 1);
        auto batch = first_tick(id, "a");
        CHECK(append(store, batch) == AppendReply::stored);
        CHECK(write_log(store, entries_of(id, 0, {"x", "y"})).next == 2);
        CHECK(send(store, id, "m").is_new);
        auto last = tick_after(batch, "b");
        last.mail = {"m"};
        last.left = left(RunStatus::done, "{}");
        CHECK(append(store, last) == AppendReply::stored);

        const auto history = load(store, id);
        CHECK(bodies(history) == std::vector<std::string>{"start of " + id, "a", "b"});
        CHECK(history.run.epoch == 1);
        CHECK(history.run.mail == 1);
        CHECK(history.run.status == RunStatus::done);
        CHECK(history.mail.empty());
        CHECK(bodies(read_log(store, id)) == std::vector<std::string>{"x", "y"});
        if (cut < 0) whole = proxy.passed() - before;
    }

    CHECK(rounds > 35);
    CHECK(proxy.cuts() > 35);
    CHECK(server.value_of("select count(*) from weft.runs where status <> 'done'") == "0");
}
TEST_SUITE_END();
TEST_CASE("a store replaces the connection to a silent server") {
    auto& server = cleared_server();
    SocketProxy proxy(server.socket());
    PostgresStore store(proxied(proxy), {.silence_ms = 1500, .patience_ms = 4000});
    create(store, run_of("r1"));
    proxy.be_silent(true);

    auto stored = std::async(std::launch::async, [&] { return append(store, first_tick("r1", "a")); });
    const auto refused = refusal([&] { list(store); });
    proxy.be_silent(false);

    CHECK(refused.code == Code::journal);
    CHECK(refused.sentence == "the store 'postgres://weft@/postgres?host=" + proxy.folder() +
                                  "' cannot be reached: the server does not answer");
    CHECK(stored.get() == AppendReply::stored);
    CHECK(load(store, "r1").ticks.size() == 2);
}
TEST_CASE("the log reports a server that is away or refuses a needed right, and its return") {
    auto& server = cleared_server();
    std::mutex mutex;
    std::vector<std::string> said;
    const auto wait_for = [&](std::size_t count, const std::string& part) {
        for (;; std::this_thread::yield()) {
            std::lock_guard lock(mutex);
            if (said.size() < count) continue;
            CHECK_MESSAGE(said[count - 1].find(part) != std::string::npos, said[count - 1]);
            return;
        }
    };
    PostgresStore store(server.url(), {.note = [&](const StoreNote& note) {
                            std::lock_guard lock(mutex);
                            said.push_back(note.text);
                            CHECK(note.fails == (note.text.find("answers again") == std::string::npos));
                        }});
    create(store, run_of("r1"));
    server.kill();
    auto stored = std::async(std::launch::async, [&] { return append(store, first_tick("r1", "a")); });
    wait_for(1, "cannot be reached: ");
    server.start();
    CHECK(stored.get() == AppendReply::stored);
    wait_for(2, "answers again");

    server.sql("alter table weft.ticks add check (body <> 'bad')");
    CHECK(refusal([&] { append(store, batch_of(store, "r1", {"bad"})); }).code == Code::journal);
    wait_for(3, "refused a call for run r1: ");
}
TEST_CASE("a call refused by the server does not keep those beside it from being stored") {
    auto& server = cleared_server();
    PostgresStore store(server.url());
    std::string key;  // too long for an index, and incompressible
    for (std::uint64_t i = 0; i < 2000; ++i) key += std::to_string(chained_sum(i, i, ""));
    auto bad = run_of("bad");
    bad.start_key = key;
    std::vector<std::string> answers(3);
    std::promise<void> done;
    const auto note = [&](std::size_t i) {
        return [&, i](std::exception_ptr error, CreateReply) {
            try {
                if (error) std::rethrow_exception(error);
                answers[i] = "stored";
            } catch (const Error& e) { answers[i] = std::string(name(e.code())) + ": " + e.what(); }
            if (i == 2) done.set_value();
        };
    };

    store.create(run_of("r0"), note(0));
    store.create(bad, note(1));
    store.create(run_of("r2"), note(2));
    done.get_future().get();

    CHECK(answers[0] == "stored");
    CHECK(answers[1].find("usage: the store '" + server.url() + "' refused a call for run bad: index row") == 0);
    CHECK(answers[2] == "stored");
    CHECK(list(store).size() == 2);
}
TEST_CASE("calls waiting for a server are bounded, and complete when the store is closed") {
    auto& server = cleared_server();
    auto store = std::make_unique<PostgresStore>(
        server.url(), PostgresOptions{.patience_ms = 60'000, .closing_ms = 20, .most_waiting = 3});
    create(*store, run_of("r1"));
    server.kill();
    std::atomic<int> failures{0};
    for (int i = 0; i < 3; ++i)
        store->append(first_tick("r1", "a"),
                      [&](std::exception_ptr error, AppendReply) { failures += error != nullptr; });

    const auto refused = refusal([&] { append(*store, first_tick("r1", "a")); });

    CHECK(refused.code == Code::journal);
    CHECK(refused.sentence ==
          "the store '" + server.url() + "' has no room for a further call: 3 of them wait for the server");
    CHECK(failures.load() == 0);
    store.reset();
    CHECK(failures.load() == 3);
    server.start();
}
TEST_CASE("processes opening an empty database at the same time make its tables once") {
    auto& server = cleared_server();
    std::vector<std::future<std::unique_ptr<PostgresStore>>> all;

    for (int i = 0; i < 4; ++i)
        all.push_back(std::async(std::launch::async, [&] { return std::make_unique<PostgresStore>(server.url()); }));

    for (auto& each : all) CHECK(list(*each.get()).empty());
    CHECK(server.value_of("select version from weft.meta") == std::to_string(storage::postgres_migrations().size()));
}
TEST_CASE("tables of a newer weft are refused, also by a store opened before") {
    auto& server = cleared_server();
    PostgresStore old(server.url());
    create(old, run_of("r1"));
    server.sql("update weft.meta set version = 99");
    const auto sentence = "cannot use the store '" + server.url() +
                          "': its tables are of version 99, and this weft knows them up to 9: use a newer weft";

    CHECK(refused_database(server.url()) == sentence);
    server.kill();
    server.start();
    const auto late = refusal([&] { append(old, first_tick("r1", "a")); });
    CHECK(late.code == Code::configuration);
    CHECK(late.sentence == sentence);
}
TEST_CASE("a row with a number or a date at its limit blocks no other row") {
    auto& server = cleared_server();
    PostgresStore store(server.url());
    const auto ids = [&] {
        std::vector<std::string> found;
        ClaimRequest wanted;
        wanted.owner = "ann";
        wanted.most = 10;
        for (auto& row : claim(store, wanted)) found.push_back(row.id);
        return found;
    };
    const std::string most = "9223372036854775807";
    for (auto id : {"oldest", "newest", "due", "taken over", "good"}) create(store, run_of(id, ""));
    server.sql("update weft.runs set epoch = " + most + ", priority = " + most + " where id = 'oldest'");
    server.sql("update weft.runs set created_at = 'infinity', updated_at = '-infinity', next_seq = " + most +
               " where id = 'newest'");
    server.sql("update weft.runs set status = 'waiting', wake_at = '-infinity' where id = 'due'");
    server.sql("update weft.runs set status = 'running', owner = 'dead', takeovers = " + most +
               " where id = 'taken over'");

    CHECK(ids() == std::vector<std::string>{"good", "newest"});
    CHECK(heartbeat(store, "ann").alive);
    CHECK(ids() == std::vector<std::string>{"due", "taken over"});
    server.sql("update weft.runs set status = 'running', owner = 'dead' where id = 'oldest'");
    CHECK(heartbeat(store, "ann").alive);
    CHECK(row(store, "oldest").status == RunStatus::running);
    CHECK(row(store, "newest").created_at > row(store, "good").created_at);
    CHECK(survey(store).runs.size() == 1);
}
TEST_CASE("tables of an unknown version are refused") {
    auto& server = cleared_server();
    { PostgresStore store(server.url()); }
    for (auto version : {"9223372036854775807", "-9223372036854775808"}) {
        server.sql(std::string("update weft.meta set version = ") + version);
        CHECK(refused_database(server.url()).find("its tables are of version ") != std::string::npos);
    }
}
TEST_CASE("a missing database, one of another encoding and a role without rights are refused in a sentence") {
    auto& server = cleared_server();
    server.sql("drop database if exists latin");
    server.sql("create database latin encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0");
    server.sql("drop role if exists guest");
    server.sql("create role guest login");

    CHECK(refused_database(server.url("latin")).find("keeps its texts as LATIN1: make one with encoding UTF8") !=
          std::string::npos);
    CHECK(refused_database(server.url("nowhere")).find("database \"nowhere\" does not exist") != std::string::npos);
    CHECK(refused_database(server.url("postgres", "guest"))
              .find("permission denied for database postgres: let the "
                    "owner of the database open the store once") != std::string::npos);
}
TEST_CASE("a connection sends a whole statement from then on when the server has forgotten the prepared one") {
    auto& server = cleared_server();
    PostgresStore store(server.url());
    create(store, run_of("r1"));
    CHECK(list(store).size() == 1);
    server.sql("alter table weft.runs alter priority type int, alter mail type int");  // makes plans stale

    CHECK(list(store).size() == 1);
    CHECK(append(store, first_tick("r1", "a")) == AppendReply::stored);
    CHECK(send(store, "r1", "m").is_new);
    CHECK(load(store, "r1").ticks.size() == 2);
}
TEST_CASE("hosts of an address are tried one after the other") {
    auto& server = cleared_server();
    Folder folder;
    const auto url = "postgres://weft@/postgres?host=" + folder.path + "," +
                     std::string(server.socket(), 0, server.socket().rfind('/'));

    PostgresStore store(url);

    CHECK(create(store, run_of("r1")).is_new);
    CHECK(load(store, "r1").ticks.size() == 1);
}
