// A store behind PgBouncer, which may use another connection for each transaction. conformance.hpp has the tests of the
// promises of engine/store.hpp there.
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_pooler.hpp"
#include <doctest/doctest.h>

using namespace stores;

namespace {
PostgresServer& pooled_server() {
    auto& server = PostgresServer::shared();
    server.clear();
    return server;
}
/// Calls each function of a store that needs a setting or its own statement.
void use_all_of(Store& store) {
    create(store, run_of("r1", ""));
    CHECK(heartbeat(store, "ann").alive);
    CHECK(claim(store, {.owner = "ann", .queues = {"default"}}).size() == 1);
    CHECK(send(store, "r1", "m").is_new);
    CHECK(append(store, batch_of(store, "r1", {"a"})) == AppendReply::stored);
    CHECK(write_log(store, entries_of("r1", 0, {"x"})).next == 1);
    CHECK(load(store, "r1").mail.size() == 1);
    auto last = batch_of(store, "r1", {"b"});
    last.left = left(RunStatus::done, "{}");
    CHECK(append(store, last) == AppendReply::stored);
    CHECK(survey(store).runs.empty());
    CHECK(prune(store, {.ids = {"r1"}}) == 1);
}
}
TEST_CASE("a store behind a pooler limits only its own transactions, and leaves no settings behind") {
    auto& server = pooled_server();
    const std::string setting[]{"", "ignore_startup_parameters = options\n"};
    for (auto& more : setting) {
        CAPTURE(more);
        server.clear();
        server.sql("alter role weft set synchronous_commit = off");
        PostgresPooler pooler(server, 1, more);  // one connection: each client sees the settings that another leaves
        PostgresStore store(pooler.url());
        const auto hints = store.on_hint([](std::string_view) {});
        server.sql("drop table if exists public.seen; create table public.seen (setting text); "
                   "create or replace function public.see() returns trigger language plpgsql as $$ begin "
                   "insert into public.seen values (current_setting('statement_timeout') || ' ' || "
                   "current_setting('lock_timeout') || ' ' || current_setting('synchronous_commit')); "
                   "return new; end $$; "
                   "create trigger sees after insert on weft.inbox for each row execute function public.see()");

        use_all_of(store);

        server.sql("alter role weft reset synchronous_commit");
        CHECK(server.value_of("select setting from public.seen") == "5s 2s on");
        CHECK(pooler.value_of("show statement_timeout") == "0");
        CHECK(pooler.value_of("select count(*) from pg_prepared_statements") == "0");
        CHECK(pooler.value_of("select count(*) from pg_listening_channels()") == "0");
        CHECK(pooler.value_of("show synchronous_commit") == "off");
    }
}
TEST_CASE("stores with and without a pooler work on the same runs, and only stores without a pooler get hints") {
    auto& server = pooled_server();
    PostgresStore pooled(PostgresPooler::shared().url()), direct(server.url());
    create(direct, run_of("r1", ""));
    std::atomic<int> heard = 0, unheard = 0;
    const auto hints = direct.on_hint([&](std::string_view) {
        ++heard;
        heard.notify_all();
    });
    const auto none = pooled.on_hint([&](std::string_view) { ++unheard; });
    list(direct);

    CHECK(claim(pooled, {.owner = "ann", .queues = {"default"}}).size() == 1);
    CHECK(send(pooled, "r1", "m").is_new);

    heard.wait(0);
    list(pooled);
    CHECK(unheard == 0);
    CHECK(load(pooled, "r1").mail.size() == 1);
}
TEST_CASE("a store behind a pooler continues when the server was killed") {
    auto& server = pooled_server();
    PostgresStore store(PostgresPooler::shared().url(), {.patience_ms = 60'000});
    create(store, run_of("r1"));
    server.kill();
    server.start();

    CHECK(append(store, batch_of(store, "r1", {"a"})) == AppendReply::stored);
    CHECK(load(store, "r1").ticks.size() == 2);
}
TEST_CASE("a store refuses in one sentence the settings that a pooler cannot provide") {
    auto& server = pooled_server();
    const auto refused = [&](const std::string& url) {
        const auto found = refusal([&] { PostgresStore store(url); });
        CHECK(found.code == Code::configuration);
        return found.sentence;
    };

    CHECK(refused(PostgresPooler::shared().url() + "&options=-c%20geqo%3Doff").find("leave them out of the address") !=
          std::string::npos);
    server.sql("alter role weft set default_transaction_isolation = serializable");
    PostgresPooler pooler(server);
    CHECK(refused(pooler.url()).find("the default isolation of this role is 'serializable'") != std::string::npos);
    server.sql("alter role weft reset default_transaction_isolation");
}
