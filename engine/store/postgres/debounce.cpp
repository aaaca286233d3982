// Starts with a debounce key. The unique index of runs that wait to begin decides between two stores: the later
// statement waits for the earlier one, and then finds its run. Such a run is created as waiting also if its time is
// past, since only a waiting run is in the index; the next heartbeat makes it ready.
#include "engine/store/flow.hpp"
#include "engine/store/postgres/connection_thread.hpp"
#include <utility>

namespace weft::storage {
namespace {
#define WEFT_KNOWN_START                                                                                               \
    "select id from (select id, starts from weft.runs where workflow = $2 and debounce = $3 order by number desc "     \
    "limit 10) r where id = $1 or strpos(starts, chr(10) || $1 || chr(10)) > 0 limit 1"
static_assert(most_debounced_runs == 10);
constexpr PostgresStatement start_of_run{"weft_start_of_run", WEFT_KNOWN_START};
constexpr PostgresStatement debounced_run{
    "weft_debounced_run",
    "with known as materialized (" WEFT_KNOWN_START "), "
    "made as (insert into weft.runs as r (id, workflow, debounce, hash, queue, priority, options, status, epoch, "
    "    next_seq, created_at, updated_at, wake_at, last_start, starts, flow_key) "
    "  select $1, $2, $3, $4, $5, $6::int8, $7, 'waiting', 0, 1, t.at, t.at, "
    "    least($8::timestamptz, t.at + $9::int8 * interval '1 microsecond'), "
    "    t.at + $9 * interval '1 microsecond', chr(10), " WEFT_POSTGRES_KEY(
        "$5",
        "$14::text") " "
                     "  from (select coalesce($10::timestamptz, clock_timestamp()) as at) t "
                     "  where not exists (select from known) and not exists (select from weft.runs where id = $1) "
                     "    and " WEFT_POSTGRES_SIZE(
                         "$16") " "
                                "  on conflict (workflow, debounce) where debounce is not null and status = 'waiting' "
                                "and epoch = "
                                "0 "
                                "  do update set hash = excluded.hash, queue = excluded.queue, priority = "
                                "excluded.priority, "
                                "    options = excluded.options, updated_at = excluded.updated_at, flow_key = "
                                "excluded.flow_key, "
                                "    wake_at = least($8, r.last_start), starts = right(r.starts || $1 || chr(10), "
                                "$15::int4) "
                                "  where strpos(r.starts, chr(10) || $1 || chr(10)) = 0 returning id), "
                                "plans as (insert into weft.definitions (hash, workflow, plan) select $4, $2, $11 from "
                                "made "
                                "  on conflict do nothing), "
                                "put as (insert into weft.ticks (run, seq, at, body, sum) "
                                "  select id, 0, coalesce($10, clock_timestamp()), $12, $13::int8 from made "
                                "  on conflict (run, seq) do update set at = excluded.at, body = excluded.body, sum = "
                                "excluded.sum) "
                                "select id from known union all select id from made"};

class DebouncedStartCall final : public PostgresCallOf<CreateReply> {
public:
    DebouncedStartCall(NewRun made, Then then, const PostgresOptions& options)
        : PostgresCallOf(std::move(then)), made_(std::move(made)), options_(options) {
        run = made_.id;
        burst = made_.plan.workflow + '\n' + made_.debounce;
        for (auto& tick : made_.ticks) bytes += tick.body.size();
        bytes += made_.options.size() + made_.plan.plan.size();
        changes = is_patient = makes_rows = confirms = true;
    }
    void was_lost() override { reads_ = true; }
    void ask(PostgresConnection& connection) override {
        check_run(made_);
        if (++rounds_ > most_rounds) give_up_on(run);
        if (reads_) {
            connection.send(start_of_run, PostgresValues(run, made_.plan.workflow, made_.debounce));
            connection.send(run_by_id, PostgresValues(run));
            connection.send(store_size, PostgresValues());
            return;
        }
        const auto& tick = made_.ticks.front();
        connection.send(debounced_run,
                        PostgresValues(run, made_.plan.workflow, made_.debounce, made_.plan.hash, made_.queue,
                                       made_.priority, made_.options, PostgresTime{made_.not_before}, made_.longest,
                                       time_of(options_.now), made_.plan.plan, tick.body, std::int64_t(tick.sum),
                                       key_texts_of(made_), most_debounced_starts, options_.databases));
    }
    bool take(std::span<PostgresRows> rows) override {
        if (rows[0].size() > 0) {
            value_.id = rows[0].text(0, 0);
            value_.is_new = value_.id == run;
            return true;
        }
        if (!std::exchange(reads_, !reads_)) return false;
        if (rows[1].size() > 0) id_is_taken(run);
        check_size(rows[2], options_.databases);
        return false;
    }

private:
    NewRun made_;
    const PostgresOptions& options_;
    bool reads_ = false;  // the next round reads whether the store has this start
    unsigned rounds_ = 0;
};
}
PostgresCallPtr debounced_start(NewRun run, Store::Then<CreateReply> then, const PostgresOptions& options) {
    return std::make_unique<DebouncedStartCall>(std::move(run), std::move(then), options);
}
}
