// Each write needs a sync. So a row is written only when its text has changed, or half of the lease has passed.
#include "engine/store/sqlite/survey.hpp"
#include "engine/store/rules.hpp"
#include <optional>

namespace weft::storage {
namespace {
// Workers with a valid lease. Older files have no table of workers.
std::vector<WorkerRow> living_workers_in(SqliteConnection& db, std::int64_t now) {
    if (db.number("select count(*) from sqlite_schema where name = 'workers'") == 0) return {};
    std::vector<WorkerRow> all;
    auto query = db.query("select id, info, started_at, lease_until from workers where lease_until >= ?1 order by id",
                          now);
    while (all.size() < most_workers && query.step())
        all.push_back({query.text(0), query.text(1), query.integer(2), query.integer(3)});
    return all;
}
std::vector<RunCount> run_counts_in(SqliteConnection& db) {
    RunCounts counts;
    auto query = db.query("select queue, workflow, hash, status, count(*), sum(takeovers > 0), "
                          "min(iif(status = 'ready', updated_at, created_at)), count(wake_at), min(wake_at) from runs "
                          "where status in ('ready', 'running', 'waiting') group by 1, 2, 3, 4");
    while (query.step()) {
        RunCount count;
        count.queue = query.text(0), count.workflow = query.text(1), count.hash = query.text(2);
        for (const auto status : {RunStatus::running, RunStatus::waiting})
            if (name(status) == query.text(3)) count.status = status;
        count.runs = std::uint64_t(query.integer(4)), count.taken_over = std::uint64_t(query.integer(5));
        count.oldest = query.integer(6), count.sleeping = std::uint64_t(query.integer(7));
        count.next_wake = query.maybe_integer(8);
        counts[{count.queue, count.workflow, count.hash, count.status}] = count;
    }
    return listed(std::move(counts));
}
}
void keep_worker(SqliteConnection& db, const Heartbeat& worker, std::int64_t now, bool is_alive) {
    const auto lease = worker.lease_ms * 1000;
    std::optional<WorkerRow> known;
    if (auto query = db.query("select info, lease_until from workers where id = ?1", worker.id); query.step())
        known = WorkerRow{worker.id, query.text(0), 0, query.integer(1)};
    if (!is_alive || worker.info.empty()) {
        if (known) db.run("delete from workers where id = ?1", worker.id);
        return;
    }
    if (known && known->info == worker.info && known->lease_until - now > lease / 2) return;
    db.run("delete from workers where lease_until < ?1", now);
    db.run("insert into workers (id, info, started_at, lease_until) values (?1, ?2, ?3, ?4) on conflict (id) do "
           "update set info = excluded.info, lease_until = excluded.lease_until",
           worker.id, worker.info, now, now + lease);
}
Survey survey_of(SqliteConnection& db, std::int64_t now) {
    return {.at = now, .runs = run_counts_in(db), .workers = living_workers_in(db, now)};
}
}
