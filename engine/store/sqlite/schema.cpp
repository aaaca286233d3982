// `number` is the order of ticks, log entries and mail: rows are added at the end of their table, because adding them
// beside their run would cost 2.5 times as much. No number is given twice; ticks and entries share one count. Each tick
// has the number of the previous tick of its run, and a run that of its last tick; an index would change another page
// for each run. Entries have the same chain; for random access an index has each 32nd of them.
#include "engine/store/sqlite/schema.hpp"
#include "engine/error.hpp"
#include "engine/text/utf8.hpp"
#include <fcntl.h>
#include <unistd.h>

namespace weft::storage {
namespace {
constexpr auto first_tables = R"(
create table meta (
  one integer primary key check (one = 1), ticket integer not null, pruned_upto integer not null) strict;
insert into meta values (1, 0, 0);
create table definitions (
  hash text primary key not null, workflow text not null, plan text not null, sum integer not null) strict;
create table runs (
  number integer primary key, id text not null unique, workflow text not null, hash text not null, queue text not null,
  priority integer not null, status text not null, owner text, epoch integer not null, next_seq integer not null,
  mail integer not null, wake_at integer, takeovers integer not null, start_key text, forked_from text,
  options text not null, outcome text, waits_for text, created_at integer not null, updated_at integer not null,
  last_tick integer, sum integer not null,
  check (status in ('ready', 'running', 'waiting', 'done', 'failed', 'timed_out', 'cancelled')),
  check ((status = 'running') = (owner is not null))) strict;
create unique index runs_start_key on runs (workflow, start_key) where start_key is not null;
create index runs_created on runs (created_at);
create index runs_ready on runs (priority desc, created_at) where status = 'ready';
create index runs_running on runs (owner) where status = 'running';
create index runs_timer on runs (wake_at) where status = 'waiting' and wake_at is not null;
create table ticks (
  number integer primary key, run text not null, seq integer not null, before integer, at integer not null,
  body text not null, sum integer not null) strict;
create table snapshots (
  run text primary key not null, upto integer not null, body text not null, sum integer not null) strict;
create table inbox (
  number integer primary key, run text not null, id text not null, body text not null, at integer not null,
  taken integer, sum integer not null) strict;
create unique index inbox_of_run on inbox (run, id);
create index inbox_untaken on inbox (run) where taken is null;
)";
constexpr auto logs = R"(
create table logs (
  number integer primary key, run text not null unique, next integer not null, last integer not null,
  sum integer not null) strict;
create table log_entries (
  number integer primary key, run text not null, entry integer not null, before integer, body text not null,
  sum integer not null) strict;
create unique index log_milestones on log_entries (run, entry) where entry % 32 = 0;
)";
constexpr auto workers = R"(
create table workers (
  id text primary key not null, info text not null, started_at integer not null, lease_until integer not null) strict;
)";
// SQLite has no statement that changes a constraint.
constexpr auto any_status = R"(
pragma writable_schema = on;
update sqlite_schema set sql = replace(sql, 'check (status in (', 'check (true or status in (') where name = 'runs';
pragma writable_schema = reset;
)";
// A run of an unlimited queue has no key, so that its claims and its ends change no more indexes than before.
constexpr auto limits = R"(
create table queues (
  name text primary key not null, running integer, per text not null, running_per_key integer, starts integer,
  seconds integer not null, tokens real not null, filled_at integer not null) strict;
alter table runs add column flow_key text;
drop index runs_ready;
create index runs_ready on runs (priority desc, created_at) where status = 'ready' and flow_key is null;
create index runs_ready_by_key on runs (queue, flow_key, priority desc, created_at)
  where status = 'ready' and flow_key is not null;
create index runs_running_by_key on runs (queue, flow_key) where status = 'running' and flow_key is not null;
)";
// Without a token, the claim of a queue with a rate reads only runs that have begun.
constexpr auto begun_runs_and_models = R"(
create index runs_begun_by_key on runs (queue, flow_key, priority desc, created_at)
  where status = 'ready' and flow_key is not null and epoch > 0;
create table models (name text primary key not null, model_limit text not null, state text not null) strict;
)";
// `key_texts` has the texts of a run that can become its flow key: null in a run of an older weft.
constexpr auto debounced_runs = R"(
alter table runs add column key_texts text;
alter table runs add column debounce text;
alter table runs add column last_start integer;
alter table runs add column starts text;
create index runs_debounce on runs (workflow, debounce) where debounce is not null;
create unique index runs_debounce_waiting on runs (workflow, debounce)
  where debounce is not null and status = 'waiting' and epoch = 0;
)";
[[noreturn]] void refuse_version(const std::string& file, const std::string& why) {
    throw Error(Code::configuration, "cannot use the store '" + repair_utf8(file) + "': " + why);
}
bool is_empty(SqliteConnection& connection) {
    return connection.number("pragma application_id") == 0 && connection.number("pragma user_version") == 0 &&
           connection.number("select count(*) from sqlite_schema") == 0;
}
/// The version of a file of weft.
int known_version(SqliteConnection& connection, const std::string& file, int newest) {
    if (connection.number("pragma application_id") != sqlite_application_id)
        refuse_version(file, "it is a SQLite database of another program");
    const auto version = connection.number("pragma user_version");
    if (version < 1)
        refuse_version(file, "it is damaged: its tables are said to be of version " + std::to_string(version));
    if (version > newest)
        refuse_version(file, "its tables are of version " + std::to_string(version) +
                                 ", and this weft knows them up to " + std::to_string(newest) + ": use a newer weft");
    return int(version);
}
void copy_before(SqliteConnection& connection, const std::string& file, int newest) {
    const auto copy = file + ".before-" + std::to_string(newest);
    ::unlink(copy.c_str());  // remainder of an unfinished migration, which left the file unchanged
    const int made = ::open(copy.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0) refuse_version(file, "no copy can be made beside it before its tables are changed");
    ::close(made);
    connection.run("vacuum into ?1", copy);
}
}
std::vector<const char*> sqlite_migrations() {
    return {first_tables, logs, workers, any_status, limits, begun_runs_and_models, debounced_runs};
}
void check_version(SqliteConnection& connection, const std::string& file, int newest, bool may_write) {
    if (!is_empty(connection)) known_version(connection, file, newest);
    else if (!may_write) refuse_version(file, "it is empty");
}
void migrate(SqliteConnection& connection, const std::string& file, const std::vector<const char*>& migrations) {
    const int newest = int(migrations.size());
    const int version = is_empty(connection) ? 0 : known_version(connection, file, newest);
    if (version == newest) return;
    if (version > 0) copy_before(connection, file, newest);
    connection.execute("begin immediate");
    for (int i = version; i < newest; ++i) connection.execute(migrations[std::size_t(i)]);
    connection.execute("pragma application_id = " + std::to_string(sqlite_application_id) +
                       "; pragma user_version = " + std::to_string(newest) + "; commit");
}
}
