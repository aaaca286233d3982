// Settings and acts of an administrator that concern every program of a server: defaults of a database, ended sessions,
// locked tables, and too few connections.
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_server.hpp"
#include <doctest/doctest.h>
#include <future>
#include <set>
#include <thread>

using namespace stores;

namespace {
/// Undoes a statement at the end of its lifetime.
struct Undo {
    Undo(PostgresServer& s, std::string sql) : server(s), statement(std::move(sql)) {}
    Undo(const Undo&) = delete;
    ~Undo() { server.sql(statement); }
    PostgresServer& server;
    std::string statement;
};
/// Repeats a call that the store gives up.
AppendReply append_as_engines_do(Store& store, const Batch& batch) {
    for (;;) try {
            return append(store, batch);
        } catch (const Error& error) { CHECK(error.code() == Code::journal); }
}
void claim_all(const std::string& url, const std::string& owner, std::multiset<std::string>& claimed) {
    PostgresStore store(url);
    heartbeat(store, owner);
    for (int idle = 0; idle < 3;) {
        const auto rows = claim(store, {.owner = owner, .most = 5});
        for (const auto& each : rows) claimed.insert(each.id);
        idle = rows.empty() ? idle + 1 : 0;
    }
}
}
TEST_CASE("a store works alike, and claims each run once, whatever the settings of its database are") {
    auto& server = PostgresServer::shared();
    server.clear();
    const Undo reset(server, "alter database postgres reset all");
    for (const auto* setting :
         {"default_transaction_isolation = 'serializable'", "default_transaction_deferrable = on",
          "timezone = 'Asia/Kathmandu'", "datestyle = 'SQL, DMY'", "intervalstyle = 'sql_standard'",
          "bytea_output = 'escape'", "standard_conforming_strings = off", "backslash_quote = off",
          "extra_float_digits = -10", "client_encoding = 'LATIN1'", "search_path = 'nowhere'", "array_nulls = off",
          "transform_null_equals = on"})
        server.sql(std::string("alter database postgres set ") + setting);
    PostgresStore store(server.url());
    const std::string text("\0\\ \xc3\xa4 '\" \xf0\x9f\x90\x98", 13);
    auto later = run_of("later", "");
    later.not_before = 4'102'444'800'123'456;  // 2100
    create(store, later);
    for (int i = 0; i < 60; ++i) {
        auto run = run_of("r" + std::to_string(i), "");
        run.ticks = ticks(0, {text});
        create(store, run);
    }

    std::multiset<std::string> claimed[4];
    std::vector<std::thread> owners;
    for (int i = 0; i < 4; ++i)
        owners.emplace_back([&, i] { claim_all(server.url(), "owner" + std::to_string(i), claimed[i]); });
    for (auto& owner : owners) owner.join();

    std::multiset<std::string> all;
    for (const auto& each : claimed) all.insert(each.begin(), each.end());
    CHECK(all.size() == 60);
    CHECK(std::set(all.begin(), all.end()).size() == 60);
    CHECK(row(store, "later").wake_at == later.not_before);
    CHECK(bodies(load(store, "r7")) == std::vector<std::string>{text});
}
TEST_CASE("a call is stored once when an administrator ends the store's sessions again and again") {
    auto& server = PostgresServer::shared();
    server.clear();
    PostgresStore store(server.url());
    create(store, run_of("r1"));
    std::atomic<bool> done = false;
    std::thread administrator([&] {
        while (!done)
            server.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'weft'");
    });
    std::vector<std::string> expected{"start of r1"};
    for (int i = 0; i < 30; ++i) {
        expected.push_back(std::to_string(i));
        CHECK(append_as_engines_do(store, batch_of(store, "r1", {expected.back()})) == AppendReply::stored);
    }
    done = true;
    administrator.join();

    CHECK(bodies(load(store, "r1")) == expected);
}
TEST_CASE("a call is refused when the tables are locked for longer than its tries, and is stored later") {
    auto& server = PostgresServer::shared();
    server.clear();
    PostgresStore store(server.url() + "&options=-c%20lock_timeout%3D20ms");
    create(store, run_of("r1"));
    const auto batch = batch_of(store, "r1", {"a"});
    std::thread administrator([&] {
        try {
            server.sql("begin; lock table weft.runs; select pg_sleep(600)");
        } catch (...) {}  // its session is ended below
    });
    const auto is_locked = [&] {
        return server.value_of("select count(*) from pg_locks where relation = 'weft.runs'::regclass and granted and "
                               "mode = 'AccessExclusiveLock'") == "1";
    };
    while (!is_locked()) std::this_thread::yield();

    const auto refused = refusal([&] { append(store, batch); });

    CHECK(refused.code == Code::journal);
    CHECK(refused.sentence.find("lock timeout (55P03)") != refused.sentence.npos);
    server.sql("select pg_terminate_backend(pid) from pg_locks where mode = 'AccessExclusiveLock' and relation = "
               "'weft.runs'::regclass");
    administrator.join();
    CHECK(append(store, batch) == AppendReply::stored);
}
TEST_CASE("a call waits when the server has no connection left, and a new store is refused with the reason") {
    auto& server = PostgresServer::shared();
    server.clear();
    server.sql("create role few login; grant create on database postgres to few");
    const Undo drop(server, "drop owned by few cascade; drop role few");
    PostgresStore store(server.url("postgres", "few"));
    create(store, run_of("r1"));
    const auto batch = batch_of(store, "r1", {"a"});
    server.sql("alter role few connection limit 0");
    server.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'few'");

    const auto refused = refusal([&] { PostgresStore(server.url("postgres", "few")); });
    auto stored = std::async(std::launch::async, [&] { return append(store, batch); });

    CHECK(refused.code == Code::configuration);
    CHECK(refused.sentence.find("too many connections for role") != refused.sentence.npos);
    CHECK(stored.wait_for(std::chrono::milliseconds(100)) == std::future_status::timeout);
    server.sql("alter role few connection limit -1");
    CHECK(stored.get() == AppendReply::stored);
}
