// Leases, takeovers, and the deletion of ended runs. Several processes do all of these at once: each skips rows
// that another process has locked, and the same work done twice has one effect.
#include "engine/store/postgres/connection_thread.hpp"
#include <algorithm>

namespace weft::storage {
namespace {
constexpr std::int64_t longest_lease = 366LL * 24 * 3600 * 1000;  // milliseconds
constexpr std::int64_t pruned_at_once = 200;                      // fewer after a deletion that took too long

#define WEFT_NOW "coalesce($1::timestamptz, clock_timestamp())"
constexpr PostgresStatement this_lease{
    "weft_lease",
    "insert into weft.workers (id, started_at, lease_until, info) values ($2, " WEFT_NOW ", " WEFT_NOW
    " + $3::int8 * interval '1 millisecond', $4) on conflict (id) do update set lease_until = excluded.lease_until, "
    "info = excluded.info where not workers.lost returning (extract(epoch from " WEFT_NOW ") * 1000000)::int8"};
// The row stays for a while, so that a late heartbeat does not renew a lease that was given back.
constexpr PostgresStatement returned_lease{
    "weft_return_lease",
    "insert into weft.workers (id, started_at, lease_until, lost) values ($2, " WEFT_NOW ", " WEFT_NOW ", true) "
    "on conflict (id) do update set lease_until = excluded.lease_until, info = '', lost = true"};
constexpr PostgresStatement lost_leases{
    "weft_lost_leases",
    "update weft.workers set lost = true where id in (select id from weft.workers where not lost and id <> $2 "
    "and lease_until < " WEFT_NOW " for update skip locked)"};
// Steps from one owner to the next, however many runs each owner has. An owner without a heartbeat so far never gets a
// lease: else it would execute runs that others have claimed.
constexpr PostgresStatement lost_runs{
    "weft_lost_runs",
    "with recursive owners as ((select owner from weft.runs where status = 'running' order by owner limit 1) "
    "  union all select (select r.owner from weft.runs r where r.status = 'running' and r.owner > o.owner "
    "  order by r.owner limit 1) from owners o where o.owner is not null), "
    "dead as (select array_agg(owner) as ids from owners where owner is not null and not exists ("
    "  select from weft.workers w where w.id = owner and w.lease_until is not null and not w.lost)), "
    "late as (insert into weft.workers (id, started_at, lease_until, lost) select unnest(ids), " WEFT_NOW ", " WEFT_NOW
    ", true from dead on conflict (id) do update set lost = true where not workers.lost), "
    "lost as materialized (select id from weft.runs where status = 'running' and owner = any((select ids from dead)"
    "::text[]) and epoch < " WEFT_MOST_EPOCH " order by owner limit 1000 for update skip locked), "
    "made as (update weft.runs set status = 'ready', owner = null, wake_at = null, epoch = epoch + 1, "
    "takeovers = least(takeovers, 1000000) + 1, updated_at = " WEFT_NOW " where id = any(array(select id from lost)) "
    "returning 1) "
    // a row if a lease that is over, or a run of a lost owner, was locked
    "select where exists (select from weft.workers where not lost and id <> $2 and lease_until < " WEFT_NOW
    ") or (select count(*) from made) < (select count(*) from (select from weft.runs where status = 'running' and "
    "owner = any((select ids from dead)::text[]) and epoch < " WEFT_MOST_EPOCH " limit 1000) held)"};
constexpr PostgresStatement due_runs{
    // a subselect computes the time once, so that the planner can use an index
    "weft_due",
    "with due as materialized (select id from weft.runs where status = 'waiting' and wake_at <= (select " WEFT_NOW
    ") order by wake_at limit 1000 for update skip locked) "
    "update weft.runs set status = 'ready', wake_at = null, updated_at = " WEFT_NOW
    " where id = any(array(select id from due))"};
constexpr PostgresStatement forgotten_workers{
    // an hour after the lease was lost
    "weft_forget",
    "delete from weft.workers where id in (select id from weft.workers where (lost or lease_until is null) "
    "and coalesce(lease_until, started_at) < " WEFT_NOW " - interval '1 hour' for update skip locked)"};
#undef WEFT_NOW
// A process that is suspended, or cut off, while it sends a transaction keeps the locks of its statements. The server
// waits for the next statement. Before version 17 (transaction_timeout) none of its timeouts ends such a session.
constexpr PostgresStatement stalled_sessions{
    "weft_stalled",
    "select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = current_database() and a.usename = "
    "current_user and a.pid <> pg_backend_pid() and a.wait_event = 'ClientRead' and a.xact_start < clock_timestamp() - "
    "$1::int8 * interval '1 millisecond' and exists (select from pg_locks l where l.pid = a.pid and l.granted and "
    "l.relation in ('weft.runs'::regclass, 'weft.workers'::regclass) and l.mode in ('RowShareLock', "
    "'RowExclusiveLock'))"};
constexpr PostgresStatement full_inboxes{
    "weft_inboxes", "select id, mail from weft.runs r where status = 'running' and owner = $1 and mail > 0 and exists ("
                    "select from weft.inbox i where i.run = r.id and i.taken is null)"};

class BeatCall final : public PostgresCallOf<HeartbeatReply> {
public:
    BeatCall(Heartbeat worker, Store::Then<HeartbeatReply> then, const PostgresNow& now, int silence_ms)
        : PostgresCallOf(std::move(then)), worker_(std::move(worker)), now_(now), silence_ms_(silence_ms) {
        is_urgent = worker_.lease_ms > 0;  // the last heartbeat follows all data that its owner stores
    }
    void ask(PostgresConnection& connection) override {
        if (ends_sessions_) return connection.send(stalled_sessions, PostgresValues(silence_ms_));
        check_worker(worker_);
        const auto now = time_of(now_);
        const auto lease = std::min(worker_.lease_ms, longest_lease);
        if (lease > 0) connection.send(this_lease, PostgresValues(now, worker_.id, lease, worker_.info));
        else connection.send(returned_lease, PostgresValues(now, worker_.id));
        connection.send(lost_leases, PostgresValues(now, worker_.id));
        connection.send(lost_runs, PostgresValues(now, worker_.id));
        connection.send(due_runs, PostgresValues(now));
        connection.send(forgotten_workers, PostgresValues(now));
        connection.send(full_inboxes, PostgresValues(worker_.id));
    }
    bool take(std::span<PostgresRows> rows) override {
        if (ends_sessions_) return true;
        value_ = {.alive = rows[0].size() > 0, .inboxes = {}};
        if (value_.alive && worker_.lease_ms > 0) value_.at = rows[0].number(0, 0);
        for (int i = 0; i < rows[5].size(); ++i) value_.inboxes.push_back({rows[5].text(i, 0), rows[5].count(i, 1)});
        ends_sessions_ = rows[2].size() > 0;
        return !ends_sessions_;
    }

private:
    Heartbeat worker_;
    const PostgresNow& now_;
    const std::int64_t silence_ms_;
    bool ends_sessions_ = false;  // the second round, after one that met locks
};

// The first statement locks the runs; later statements delete their rows, and so see a log that was still being written
// when the runs were chosen. The server keeps the ids until the transaction ends.
#define WEFT_CHOOSE(MORE, LOCK)                                                                                        \
    "select set_config('weft.pruned', coalesce((select array_agg(id)::text from (select id from weft.runs "            \
    "where ended_at is not null and (cardinality($1::text[]) = 0 or workflow = any($1)) "                              \
    "and (cardinality($2::text[]) = 0 or status = any($2)) and ($3::timestamptz is null or ended_at < $3) " MORE       \
    "order by ended_at, number limit $4 for update " LOCK ") chosen), '{}'), true)"
#define WEFT_PRUNED "any(current_setting('weft.pruned')::text[])"
constexpr PostgresStatement choose_ended{"weft_prune", WEFT_CHOOSE("", "skip locked")};
constexpr PostgresStatement choose_named{"weft_prune_named", WEFT_CHOOSE("and id = any($5::text[]) ", "")};
constexpr PostgresStatement delete_chosen[]{
    {"weft_prune_ticks", "delete from weft.ticks where run = " WEFT_PRUNED},
    {"weft_prune_snapshots", "delete from weft.snapshots where run = " WEFT_PRUNED},
    {"weft_prune_inbox", "delete from weft.inbox where run = " WEFT_PRUNED},
    {"weft_prune_log", "delete from weft.log_entries where run = " WEFT_PRUNED},
    {"weft_prune_runs", "delete from weft.runs where id = " WEFT_PRUNED " returning 1"}};
#undef WEFT_PRUNED
#undef WEFT_CHOOSE

class PruneCall final : public PostgresCallOf<std::uint64_t> {
public:
    PruneCall(Filter filter, Store::Then<std::uint64_t> then)
        : PostgresCallOf(std::move(then)), filter_(std::move(filter)) {
        changes = confirms = true;  // others may have deleted them
    }
    void ask(PostgresConnection& connection) override {
        connection.send(filter_.ids.empty() ? choose_ended : choose_named, values_of(filter_, at_once()));
        for (auto& statement : delete_chosen) connection.send(statement, PostgresValues());
    }
    bool take(std::span<PostgresRows> rows) override {
        const auto gone = rows.back().size();
        value_ += std::uint64_t(gone);
        return gone < at_once() || value_ >= filter_.most;
    }

private:
    std::int64_t at_once() const {
        return std::min(std::max<std::int64_t>(pruned_at_once >> 3 * failures, 1), bounded(filter_.most - value_));
    }
    Filter filter_;
};
}
}

namespace weft {
using namespace storage;
void PostgresStore::heartbeat(Heartbeat worker, Then<HeartbeatReply> then) {
    thread_->query(
        std::make_unique<BeatCall>(std::move(worker), std::move(then), thread_->now(), thread_->silence_ms()));
}
void PostgresStore::prune(Filter filter, Then<std::uint64_t> then) {
    thread_->query(std::make_unique<PruneCall>(std::move(filter), std::move(then)));
}
}
