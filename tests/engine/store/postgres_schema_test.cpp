// Tables that an older weft has made.
#include "engine/store/postgres/schema.hpp"
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/postgres_server.hpp"
#include <chrono>
#include <doctest/doctest.h>

using namespace stores;

namespace {
/// Makes the tables that the first `count` migrations make.
void make_tables(PostgresServer& server, std::size_t count) {
    auto migrations = storage::postgres_migrations();
    REQUIRE(count < migrations.size());
    migrations.resize(count);
    const storage::PostgresUrl url(server.url());
    storage::PostgresConnection connection(url, 0);
    storage::prepare_database(connection, url, std::chrono::steady_clock::now() + test::limit, migrations);
    REQUIRE(server.value_of("select version from weft.meta") == std::to_string(count));
}
constexpr auto older_runs = R"(
insert into weft.runs (id, workflow, hash, queue, priority, status, owner, epoch, next_seq, options, created_at,
  updated_at)
values ('old', 'refund', 'h1', '', 1, 'ready', null, 0, 0, '', now() - interval '2 hours', now()),
  ('new', 'refund', 'h1', '', 1, 'ready', null, 0, 0, '', now() - interval '1 hour', now()),
  ('urgent', 'refund', 'h1', '', 2, 'ready', null, 0, 0, '', now(), now()),
  ('least', 'refund', 'h1', '', -2147483648, 'ready', null, 0, 0, '', now(), now()),
  ('taken', 'refund', 'h1', '', 0, 'running', 'ann', 7, 0, '', now(), now());)";
}
TEST_CASE("runs in tables of each older version are claimed in order, and go on, when a store opens these") {
    auto& server = PostgresServer::shared();
    const auto newest = storage::postgres_migrations().size();
    for (std::size_t version = 1; version < newest; ++version) {
        server.clear();
        make_tables(server, version);
        server.sql(older_runs);

        PostgresStore store(server.url());

        CHECK(server.value_of("select version from weft.meta") == std::to_string(newest));
        std::vector<std::string> order;
        for (int i = 0; i < 4; ++i)
            for (auto& row : claim(store, {.owner = "ann", .most = 1})) order.push_back(row.id);
        CHECK(order == std::vector<std::string>{"urgent", "old", "new", "least"});
        Batch batch;
        batch.run = "taken", batch.epoch = 7;
        batch.ticks = ticks(0, {"a tick"}, 0);
        CHECK(append(store, batch) == AppendReply::stored);
        batch.epoch = 6;
        CHECK(append(store, batch) == AppendReply::fenced);
    }
}
