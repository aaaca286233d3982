// Counts of runs that have not ended, in groups, and workers. An index of just these runs is read.
#include "engine/store/postgres/connection_thread.hpp"

namespace weft::storage {
namespace {
constexpr PostgresStatement open_runs{
    "weft_survey", "select queue, workflow, hash, status, count(*), count(*) filter (where takeovers > 0), "
                   "min(case status when 'ready' then updated_at else created_at end), count(wake_at), min(wake_at) "
                   "from weft.runs where ended_at is null group by 1, 2, 3, 4"};
constexpr PostgresStatement living_workers{
    "weft_workers", "select id, info, started_at, lease_until from weft.workers where not lost and info <> '' "
                    "and lease_until >= coalesce($1::timestamptz, clock_timestamp()) order by id limit $2"};
constexpr PostgresStatement limited_queues{
    "weft_flows",
    "with keys as materialized (select queue, count(*) filter (where status = 'running') as running, "
    "  count(*) filter (where status = 'ready') as ready, "
    "  count(*) filter (where status = 'ready' and epoch = 0) as starts "
    "  from weft.runs where ended_at is null and queue in (select name from weft.queues) "
    "  group by queue, coalesce(flow_key, '')) "
    "select " WEFT_POSTGRES_LIMITS ", coalesce(sum(k.running), 0)::int8, "
    "  coalesce(sum(k.ready), 0)::int8, least(coalesce(sum(least(k.ready, q.running_per_key - least(q.running_per_key, "
    "    k.running))), 0), q.running - least(q.running, sum(k.running)), "
    "    sum(k.ready) - sum(k.starts) + floor(" WEFT_POSTGRES_TOKENS "))::int8, "
    "(greatest(0, " WEFT_POSTGRES_TOKENS ") * 1000)::int8 "
    "from weft.queues q cross join (select coalesce($1::timestamptz, clock_timestamp()) as at) t "
    "left join keys k on k.queue = q.name group by q.name, t.at order by q.name"};
constexpr PostgresStatement this_moment{"weft_now", "select coalesce($1::timestamptz, clock_timestamp())"};

class SurveyCall final : public PostgresCallOf<Survey> {
public:
    SurveyCall(Store::Then<Survey> then, const PostgresNow& now) : PostgresCallOf(std::move(then)), now_(now) {}
    void ask(PostgresConnection& connection) override {
        const auto now = time_of(now_);
        connection.send(open_runs, PostgresValues());
        connection.send(living_workers, PostgresValues(now, most_workers));
        connection.send(this_moment, PostgresValues(now));
        connection.send(limited_queues, PostgresValues(now));
    }
    bool take(std::span<PostgresRows> rows) override {
        RunCounts counts;
        for (int i = 0; i < rows[0].size(); ++i) {
            RunCount count{.queue = rows[0].text(i, 0), .workflow = rows[0].text(i, 1), .hash = rows[0].text(i, 2)};
            count.status = status_of_postgres(rows[0].text(i, 3));
            count.runs = rows[0].count(i, 4), count.taken_over = rows[0].count(i, 5);
            count.oldest = rows[0].time(i, 6).value_or(0);
            count.sleeping = rows[0].count(i, 7), count.next_wake = rows[0].time(i, 8);
            counts[{count.queue, count.workflow, count.hash, count.status}] = std::move(count);
        }
        value_ = {.at = rows[2].time(0, 0).value_or(0), .runs = listed(std::move(counts)), .workers = {}};
        for (int i = 0; i < rows[1].size(); ++i)
            value_.workers.push_back({.id = rows[1].text(i, 0),
                                      .info = rows[1].text(i, 1),
                                      .started_at = rows[1].time(i, 2).value_or(0),
                                      .lease_until = rows[1].time(i, 3).value_or(0)});
        for (int i = 0; i < rows[3].size(); ++i) {
            const auto ready = rows[3].count(i, 7);
            QueueFlow flow{read_limits(rows[3], i), rows[3].count(i, 6), ready, ready - rows[3].count(i, 8), {}};
            if (flow.limits.starts) flow.starts_left = double(rows[3].number(i, 9)) / 1000;
            value_.flows.push_back(std::move(flow));
        }
        return true;
    }

private:
    const PostgresNow& now_;
};
}
QueueLimits read_limits(const PostgresRows& rows, int row) {
    const auto number = [&](int column) {
        return rows.is_null(row, column) ? std::nullopt : std::optional(std::uint32_t(rows.number(row, column)));
    };
    QueueLimits limits{.queue = rows.text(row, 0), .running = number(1), .per = rows.text(row, 2)};
    limits.running_per_key = number(3);
    limits.starts = number(4);
    limits.seconds = std::uint32_t(rows.number(row, 5));
    return limits;
}
}

namespace weft {
using namespace storage;
void PostgresStore::survey(Then<Survey> then) {
    thread_->query(std::make_unique<SurveyCall>(std::move(then), thread_->now()));
}
}
