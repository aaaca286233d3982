// The rows that the server reads for a call do not depend on the size of the tables, or on their content when the
// server made its plan.
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_server.hpp"
#include <doctest/doctest.h>
#include <thread>
using namespace stores;
using namespace weft;

namespace {
constexpr auto others = R"(
insert into weft.workers (id, started_at, lease_until) values ('other', now(), now() + interval '1 hour')
  on conflict do nothing;
insert into weft.runs (id, workflow, hash, queue, priority, status, owner, epoch, next_seq, options, created_at,
  updated_at, ended_at, wake_at)
select kind || n, 'foreign', 'foreign', 'default', 9, kind, case kind when 'running' then 'other' end, 1, 1, '',
  now() - interval '1 day', now(), case kind when 'done' then now() end,
  case kind when 'waiting' then now() + interval '1 day' end
from unnest(array[KINDS]) kind, generate_series(1, 5000) n;)";

std::string others_that_are(const std::string& kinds) {
    std::string sql = others;
    return sql.replace(sql.find("KINDS"), 5, kinds);
}

/// The sessions of weft at the begin of a test: stores of other tests may live as long as the program.
class Sessions {
public:
    explicit Sessions(PostgresServer& server) : server_(server) {
        server.clear();
        kept_ = server.value_of("select coalesce(string_agg(pid::text, ','), '0') from" + of_weft);
    }
    /// The server counts all work of ended connections.
    void wait_for_counts() const {
        while (server_.value_of("select count(*) from" + of_weft + " and pid not in (" + kept_ + ")") != "0")
            std::this_thread::yield();
    }

private:
    const std::string of_weft = " pg_stat_activity where application_name = 'weft'";
    PostgresServer& server_;
    std::string kept_;
};
long rows_read(PostgresServer& server, const Sessions& sessions) {
    sessions.wait_for_counts();
    return std::stol(server.value_of("select (select sum(seq_tup_read) from pg_stat_user_tables) + "
                                     "(select sum(idx_tup_read) from pg_stat_user_indexes)"));
}
}
TEST_CASE("a worker's calls read only the rows that they concern, however many other runs there are") {
    auto& server = PostgresServer::shared();
    const Sessions sessions(server);
    constexpr int count = 20;
    {
        PostgresStore store(server.url());
        heartbeat(store, "ann");
        create(store, run_of("r", "ann"));
        server.sql(others_that_are("'ready', 'waiting', 'done'") + "analyze weft.runs;");
        for (int i = 0; i < count; ++i) append(store, batch_of(store, "r", {"planned"}));
        server.sql(others_that_are("'running'"));  // more rows than at the planning of appends
        server.sql("select pg_stat_reset()");
        for (int i = 0; i < count; ++i) {
            const auto own = "own " + std::to_string(i);
            create(store, run_of(own, ""));
            auto claimed = claim(store, {.owner = "ann", .workflows = {"refund"}, .hashes = {"h1"}, .most = 1});
            REQUIRE(claimed.size() == 1);
            CHECK(claimed[0].id == own);
            CHECK(claim(store, {.owner = "ann", .workflows = {"refund"}}).empty());
            heartbeat(store, "ann");
            send(store, own, "m");
            CHECK(load(store, own).mail.size() == 1);
            auto batch = batch_of(store, own, {"a tick"});
            batch.mail = {"m"};
            append(store, batch);
            append(store, batch_of(store, "r", {"a tick"}));
            auto leaves = batch_of(store, own, {});
            leaves.left = left(RunStatus::waiting);
            leaves.left->mail = 1;
            append(store, leaves);
        }
    }
    CHECK(rows_read(server, sessions) < 200 * count);
}
TEST_CASE("an append leaves a run's row on its page, and changes no index, when it only stores ticks") {
    auto& server = PostgresServer::shared();
    const Sessions sessions(server);
    constexpr int count = 300;
    {
        PostgresStore store(server.url());
        create(store, run_of("r"));
        server.sql("select pg_stat_reset()");
        auto batch = batch_of(store, "r", {std::string(500, 'x')});
        for (int i = 0; i < count; ++i) {
            REQUIRE(append(store, batch) == AppendReply::stored);
            batch.ticks = ticks(++batch.seq, {std::string(500, 'x')}, batch.ticks.back().sum);
        }
    }
    sessions.wait_for_counts();
    const auto counted = [&](const std::string& column) {
        return server.value_of("select " + column + " from pg_stat_user_tables where relname = 'runs'");
    };
    CHECK(counted("n_tup_upd") == std::to_string(count));
    CHECK(counted("n_tup_hot_upd") == std::to_string(count));
}
TEST_CASE("a claim passes the entries of claimed runs only once when no vacuum has removed them") {
    auto& server = PostgresServer::shared();
    const Sessions sessions(server);
    constexpr int count = 10;
    const auto claim_some = [&] {
        PostgresStore store(server.url());
        for (int i = 0; i < count; ++i) REQUIRE(claim(store, {.owner = "ann", .most = 1}).size() == 1);
    };
    { const PostgresStore makes_tables(server.url()); }
    server.sql(others_that_are("'ready'") +
               "alter table weft.runs set (autovacuum_enabled = off);"
               "update weft.runs set status = 'running', owner = 'other' where number <= 4500");
    claim_some();  // marks the entries as dead
    sessions.wait_for_counts();
    server.sql("select pg_stat_reset()");

    claim_some();

    sessions.wait_for_counts();
    const auto of_index = [&](const std::string& number) {
        return std::stol(server.value_of("select sum(" + number +
                                         ")::int8 from pg_statio_user_indexes where "
                                         "indexrelname like 'runs_ready%'"));
    };
    const auto pages = of_index("pg_relation_size(indexrelid) / 8192");
    REQUIRE(pages > 30);
    CHECK(of_index("idx_blks_hit + idx_blks_read") < count * (pages + 12));
}
TEST_CASE("a claim reads no run that has not begun when its queue has no token left") {
    auto& server = PostgresServer::shared();
    const Sessions sessions(server);
    constexpr int count = 20;
    {
        PostgresStore store(server.url());
        const QueueLimits limits{
            .queue = "default", .running = {}, .per = "", .running_per_key = {}, .starts = 1, .seconds = 3600};
        answer_of<bool>([&](auto then) { store.set_limits(limits, then); });
        heartbeat(store, "ann");
        server.sql(others_that_are("'ready'") + "update weft.runs set epoch = 0, flow_key = ''");
        server.sql("vacuum analyze weft.runs");
        REQUIRE(claim(store, {.owner = "ann"}).size() == 1);
        server.sql("select pg_stat_reset()");
        for (int i = 0; i < count; ++i) CHECK(claim(store, {.owner = "ann"}).empty());
    }
    CHECK(rows_read(server, sessions) < 100 * count);
}
TEST_CASE("a claim asks once when nothing is ready") {
    auto& server = PostgresServer::shared();
    const Sessions sessions(server);
    constexpr int count = 100;
    const auto done = [&] {
        sessions.wait_for_counts();
        return std::stol(server.value_of("select xact_commit from pg_stat_database where datname = "
                                         "current_database()"));
    };
    const auto before = done();
    {
        PostgresStore store(server.url());
        for (int i = 0; i < count; ++i) CHECK(claim(store, {.owner = "ann"}).empty());
    }
    CHECK(done() - before < count + 50);
}
