// Keys compare by their bytes: an index in a language's order breaks when the system's locale changes. `number` is the
// order of insertion. Appends change no indexed column, so that a changed row stays on its page; therefore the tables
// have `ended_at` beside `updated_at`.
#include "engine/store/postgres/schema.hpp"
#include "engine/error.hpp"
#include "engine/store/postgres_store.hpp"
#include <algorithm>
#include <poll.h>
#include <utility>

namespace weft::storage {
namespace {
using SteadyTime = std::chrono::steady_clock::time_point;
constexpr std::int64_t oldest_server = 130'000;  // the server's version number
constexpr PostgresStatement patient_begin{"weft_patient_begin", "begin isolation level read committed"};
constexpr PostgresStatement migration_lock{"weft_migration_lock", "select pg_advisory_xact_lock(1702127220)"};
constexpr PostgresStatement patience{
    "weft_patience", "select set_config('lock_timeout', '10s', true), set_config('statement_timeout', '0', true), "
                     "set_config('idle_in_transaction_session_timeout', '1min', true), " WEFT_POSTGRES_WAITS_FOR_DISK};
constexpr PostgresStatement has_schema{"weft_has_schema",
                                       "select count(*) from pg_namespace n join pg_class c on c.relnamespace = n.oid "
                                       "where n.nspname = 'weft' and c.relname = 'meta'"};
constexpr PostgresStatement schema_version{"weft_schema_version", "select version::int8 from weft.meta"};
constexpr PostgresStatement new_version{"weft_new_version", "update weft.meta set version = $1"};
constexpr PostgresStatement patient_commit{"weft_patient_commit", "commit"};
// Acknowledged data is on the disk, whatever the server's default is, and a commit that waits in vain gives a warning.
// A pooler's connection keeps its settings.
constexpr PostgresStatement postgres_greeting{
    nullptr, "select current_setting('server_version_num')::int8, current_setting('server_encoding')::text, "
             "(select version::int8 from weft.meta), case when pg_backend_pid() = $1 then 0 else 1 end, "
             "current_setting('default_transaction_isolation')::text, "
             "case when pg_backend_pid() = $1 and current_setting('synchronous_commit') = 'off' "
             "then set_config('synchronous_commit', 'on', false) end, "
             "case when pg_backend_pid() = $1 then set_config('client_min_messages', 'warning', false) end"};

const std::vector<const char*> postgres_first_tables{
    "create schema if not exists weft",
    "create table weft.meta (one int primary key default 1 check (one = 1), version bigint not null)",
    "insert into weft.meta (version) values (0)",
    R"(create table weft.definitions (
  hash text collate "C" primary key, workflow text collate "C" not null, plan text not null))",
    R"(create table weft.workers (
  id text collate "C" primary key, started_at timestamptz not null default now(), lease_until timestamptz,
  lost bool not null default false, claims bigint not null default 0, info text not null default ''))",
    R"(create table weft.runs (
  number bigint generated always as identity, id text collate "C" primary key, workflow text collate "C" not null,
  hash text collate "C" not null, queue text collate "C" not null, priority bigint not null,
  status text collate "C" not null, owner text collate "C", epoch bigint not null, next_seq bigint not null,
  mail bigint not null default 0, wake_at timestamptz, takeovers bigint not null default 0, claim bigint,
  start_key text collate "C", forked_from text collate "C", options text not null, outcome text, waits_for text,
  created_at timestamptz not null, updated_at timestamptz not null, ended_at timestamptz,
  check (status in ('ready', 'running', 'waiting', 'done', 'failed', 'timed_out', 'cancelled')),
  check ((status = 'running') = (owner is not null)))
  with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500))",
    "create unique index runs_start_key on weft.runs (workflow, start_key) where start_key is not null",
    "create index runs_created on weft.runs (created_at desc, number desc)",
    "create index runs_ready on weft.runs (queue, priority desc, created_at, number) where status = 'ready'",
    "create index runs_running on weft.runs (owner) where status = 'running'",
    "create index runs_timer on weft.runs (wake_at) where status = 'waiting' and wake_at is not null",
    "create index runs_ended on weft.runs (ended_at, number) where ended_at is not null",
    R"(create table weft.ticks (
  run text collate "C" not null, seq bigint not null, at timestamptz not null, body text not null, sum bigint not null,
  primary key (run, seq)))",
    R"(create table weft.snapshots (
  run text collate "C" primary key, upto bigint not null, body text not null, sum bigint not null))",
    R"(create table weft.inbox (
  number bigint generated always as identity, run text collate "C" not null, id text collate "C" not null,
  body text not null, at timestamptz not null, taken bigint, primary key (run, id)))",
    "create index inbox_untaken on weft.inbox (run, number) where taken is null",
    R"(create table weft.log_entries (
  run text collate "C" not null, number bigint not null, at timestamptz not null, body text not null,
  primary key (run, number)))",
};
const std::vector<const char*> postgres_open_runs{
    "create index runs_open on weft.runs (id) where ended_at is null",
};
// With these a worker skips runs whose declaration it lacks.
const std::vector<const char*> postgres_ready_by_kind{
    "create index runs_ready_by_kind on weft.runs (queue, workflow, hash, priority desc, created_at, number) "
    "where status = 'ready'",
    "drop index weft.runs_ready",
};
const std::vector<const char*> postgres_any_status{"alter table weft.runs drop constraint runs_status_check"};
// All of its columns ascend, so that a claim can begin at a place of it: `~priority` descends with the priority, and
// exists for each number.
const std::vector<const char*> postgres_ready_in_order{
    "create index runs_ready_in_order on weft.runs (queue, workflow, hash, (~priority), created_at, number) "
    "where status = 'ready'",
    "drop index weft.runs_ready_by_kind",
};
// Claims step from key to key of a limited queue; a run of another queue has none. An index of limited running runs
// counts them.
const std::vector<const char*> postgres_limits{
    R"(create table weft.queues (
  name text collate "C" primary key, running bigint, per text collate "C" not null, running_per_key bigint,
  starts bigint, seconds bigint not null, tokens float8 not null, filled_at timestamptz not null))",
    R"(alter table weft.runs add column flow_key text collate "C")",
    R"(create index runs_ready_by_key on weft.runs (queue, coalesce(flow_key, ''), workflow, hash, (~priority),
  created_at, number) where status = 'ready')",
    "drop index weft.runs_ready_in_order",
    "create index runs_running_by_key on weft.runs (queue, flow_key) where status = 'running' and flow_key is not null",
};
// Without a token, the claim of a queue with a rate reads only runs that have begun.
const std::vector<const char*> postgres_begun_runs_and_models{
    R"(create index runs_begun_by_key on weft.runs (queue, coalesce(flow_key, ''), workflow, hash, (~priority),
  created_at, number) where status = 'ready' and epoch > 0)",
    R"(create table weft.models (
  name text collate "C" primary key, model_limit text not null, state text not null, version bigint not null)
  with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000))",
};
const std::vector<const char*> postgres_debounced_runs{
    R"(alter table weft.runs add column debounce text collate "C", add column last_start timestamptz,
  add column starts text collate "C")",
    "create index runs_debounce on weft.runs (workflow, debounce, number) where debounce is not null",
    R"(create unique index runs_debounce_waiting on weft.runs (workflow, debounce)
  where debounce is not null and status = 'waiting' and epoch = 0)",
};
// The place of a database in a store of several (postgres_shards.hpp).
const std::vector<const char*> postgres_shards{
    R"(alter table weft.meta add column store text collate "C", add column number bigint,
  add column databases bigint, add column sizes text collate "C")",
};
template <class Done> void wait_until(SteadyTime deadline, PostgresConnection& connection, const Done& is_done) {
    while (!is_done()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) throw PostgresError("08006", "the server does not answer");
        pollfd what{.fd = connection.descriptor(), .events = connection.events(), .revents = 0};
        ::poll(&what, 1, int(std::min<std::int64_t>(left.count(), 1000)));
        connection.go_on(what.revents);
    }
}
[[noreturn]] void refuse_database(const std::string& name, const std::string& why) {
    throw Error(Code::configuration, "cannot use the store '" + name + "': " + why);
}
[[noreturn]] void refuse_newer(const std::string& name, std::int64_t version, std::int64_t newest) {
    refuse_database(name, "its tables are of version " + std::to_string(version) + ", and this weft knows them up to " +
                              std::to_string(newest) + ": use a newer weft");
}
/// The version of the tables; 0: there are none.
std::int64_t version_of(PostgresConnection& connection, SteadyTime deadline) {
    if (ask_postgres(connection, has_schema, PostgresValues(), deadline).number(0, 0) == 0) return 0;
    const auto rows = ask_postgres(connection, schema_version, PostgresValues(), deadline);
    return rows.size() > 0 ? rows.number(0, 0) : 0;
}
void migrate_database(PostgresConnection& connection, const std::string& name, SteadyTime deadline,
                      const std::vector<std::vector<const char*>>& migrations) {
    const auto newest = std::int64_t(migrations.size());
    ask_postgres(connection, migration_lock, PostgresValues(), deadline);
    auto version = version_of(connection, deadline);  // another process may have migrated them meanwhile
    if (version > newest) refuse_newer(name, version, newest);
    if (version < 0)
        refuse_database(name, "weft.meta says that its tables are of version " + std::to_string(version) +
                                  ": restore the database from a backup");
    for (; version < newest; ++version) {
        auto number = 0;
        for (const auto* sql : migrations[std::size_t(version)]) {
            const auto once = "weft_migration_" + std::to_string(version) + "_" + std::to_string(number++);
            ask_postgres(connection, {once.c_str(), sql}, PostgresValues(), deadline);
        }
    }
    ask_postgres(connection, new_version, PostgresValues(newest), deadline);
}
}
std::vector<std::vector<const char*>> postgres_migrations() {
    return {postgres_first_tables,   postgres_open_runs, postgres_ready_by_kind,         postgres_any_status,
            postgres_ready_in_order, postgres_limits,    postgres_begun_runs_and_models, postgres_debounced_runs,
            postgres_shards};
}
void send_greeting(PostgresConnection& connection) {
    connection.send(postgres_greeting, PostgresValues(connection.backend()));
    connection.sync();
}
void take_greeting(PostgresConnection& connection, const PostgresRows& rows, const std::string& name,
                   std::int64_t newest) {
    if (rows.number(0, 0) < oldest_server) refuse_database(name, "it is older than PostgreSQL 13: use a newer server");
    if (rows.text(0, 1) != "UTF8")
        refuse_database(name, "the database keeps its texts as " + rows.text(0, 1) + ": make one with encoding UTF8");
    if (rows.number(0, 2) > newest) refuse_newer(name, rows.number(0, 2), newest);
    connection.greeted(rows.number(0, 3) != 0);
    if (connection.is_pooled() && rows.text(0, 4) != "read committed")
        refuse_database(name, "the default isolation of this role is '" + rows.text(0, 4) +
                                  "', which weft cannot change through a pooler: ALTER ROLE (its name) SET "
                                  "default_transaction_isolation = 'read committed'");
}
PostgresRows ask_postgres(PostgresConnection& connection, const PostgresStatement& statement,
                          const PostgresValues& values, SteadyTime deadline) {
    wait_until(deadline, connection, [&] { return connection.is_open(); });
    connection.send(statement, values);
    connection.sync();
    wait_until(deadline, connection, [&] { return connection.is_answered(); });
    auto rows = connection.take();
    return std::move(rows.at(0));
}
void in_patient_transaction(PostgresConnection& connection, SteadyTime deadline, const std::function<void()>& work) {
    ask_postgres(connection, patient_begin, PostgresValues(), deadline);
    ask_postgres(connection, patience, PostgresValues(), deadline);
    work();
    ask_postgres(connection, patient_commit, PostgresValues(), deadline);
}
void use_database(const PostgresUrl& url, SteadyTime deadline,
                  const std::function<void(PostgresConnection&, SteadyTime)>& use) {
    const auto begun = std::chrono::steady_clock::now();
    PostgresServerTraits traits;
    for (std::size_t attempt = 0;;) try {
            PostgresConnection connection(url, attempt, traits);
            return use(connection, begun + (deadline - begun) * std::int64_t(attempt + 1) / std::int64_t(url.hosts()));
        } catch (const PostgresError& error) {
            const bool may_drop_options = error.is_of_options() && !url.has_options();
            if (may_drop_options && std::exchange(traits.sends_options, false)) continue;
            if (++attempt == url.hosts()) throw;
        }
}
void prepare_database(PostgresConnection& connection, const PostgresUrl& url, SteadyTime deadline,
                      const std::vector<std::vector<const char*>>& migrations) {
    const auto newest = std::int64_t(migrations.size());
    try {
        if (version_of(connection, deadline) < newest)
            in_patient_transaction(connection, deadline,
                                   [&] { migrate_database(connection, url.name(), deadline, migrations); });
    } catch (const PostgresError& e) {
        if (!e.is_of_rights()) throw;
        refuse_database(url.name(), std::string(e.what()) +
                                        ": let the owner of the database open the store once, and grant this role the "
                                        "use of the schema weft and of its tables");
    }
    const auto rows = ask_postgres(connection, postgres_greeting, PostgresValues(connection.backend()), deadline);
    take_greeting(connection, rows, url.name(), newest);
}
}

namespace weft {
std::int64_t postgres_version(const std::string& text, std::chrono::milliseconds limit) {
    using namespace storage;
    const PostgresUrl url(text);
    std::int64_t version = 0;
    try {
        use_database(url, std::chrono::steady_clock::now() + limit, [&](PostgresConnection& connection, auto deadline) {
            version = version_of(connection, deadline);
        });
    } catch (const PostgresError& error) { refuse_database(url.name(), error.what()); }
    const auto newest = std::int64_t(postgres_migrations().size());
    if (version > newest) refuse_newer(url.name(), version, newest);
    return version;
}
}
