// Claims of runs. Processes without limits of queues claim at once: each skips rows that another process has locked.
// Limits let one process after the other count.
#include "engine/store/postgres/connection_thread.hpp"
#include <algorithm>
#include <tuple>
#include <utility>

namespace weft::storage {
namespace {
constexpr int most_again = 15;  // repetitions of claims without effect

std::vector<RunRow> in_order_of_claims(std::vector<NumberedRun> found) {
    std::sort(found.begin(), found.end(), [](const NumberedRun& a, const NumberedRun& b) {
        return std::tuple(~a.row.priority, a.row.created_at, a.number) <
               std::tuple(~b.row.priority, b.row.created_at, b.number);
    });
    std::vector<RunRow> rows;
    for (auto& each : found) rows.push_back(std::move(each.row));
    return rows;
}

// If the answer to a claim is lost, no run may remain that has an owner but is not executed. So each claim has a number
// greater than those before; its transaction stores the number with the owner if the stored number is smaller. To learn
// the result of a claim, the store first stores its number there: after that no copy of the claim under way takes a
// run.
#define WEFT_FENCED                                                                                                    \
    "fence as (insert into weft.workers (id, claims) select $1, $7 from next limit 1 on conflict (id) do update "      \
    "  set claims = excluded.claims where workers.claims < excluded.claims and not workers.lost returning 1), "        \
    "got as (update weft.runs set status = 'running', owner = $1, epoch = epoch + 1, claim = $7, wake_at = null, "     \
    "    waits_for = null, updated_at = coalesce($6::timestamptz, clock_timestamp()) "
#define WEFT_GOT "  from fence where id in (select id from next) returning runs.*) "
#define WEFT_NOT_LEFT_OUT                                                                                              \
    "epoch < " WEFT_MOST_EPOCH " and id <> all($8::text[]) and ($9::int8 is null or priority < $9 or (priority = $9 "  \
    "and created_at > $10::timestamptz)) "
// Steps from one kind of ready runs to the next, however many runs each kind has; reads the wanted kinds by an index.
// The index keeps entries of claimed runs until a vacuum, and a scan from the start of a kind passes all of them. The
// step to a kind passes them once, and finds the kind's first run; the scan for runs to claim begins there.
#define WEFT_FIRST_OF_KIND                                                                                             \
    "select queue, coalesce(flow_key, '') as key, workflow, hash, ~priority as place, created_at, number "             \
    "from weft.runs where status = 'ready' "
#define WEFT_KINDS_IN_ORDER                                                                                            \
    "order by queue, coalesce(flow_key, ''), workflow, hash, ~priority, created_at, number limit 1)"
#define WEFT_FIRST_KIND "kinds as ((" WEFT_FIRST_OF_KIND
#define WEFT_KIND_BEHIND                                                                                               \
    WEFT_KINDS_IN_ORDER " union all select r.* from kinds k, lateral (" WEFT_FIRST_OF_KIND                             \
                        "  and (queue, coalesce(flow_key, ''), workflow, hash) > (k.queue, "
#define WEFT_LAST_KIND ", k.workflow, k.hash) " WEFT_KINDS_IN_ORDER " r), "
#define WEFT_RUNS_OF_KIND                                                                                              \
    "from weft.runs where status = 'ready' and queue = k.queue and coalesce(flow_key, '') = k.key "                    \
    "and workflow = k.workflow and hash = k.hash "                                                                     \
    "and (~priority, created_at, number) >= (k.place, k.created_at, k.number) and " WEFT_NOT_LEFT_OUT
#define WEFT_RUNS_IN_ORDER "order by ~priority, created_at, number limit "
#define WEFT_WANTED_KIND                                                                                               \
    "(cardinality($2::text[]) = 0 or k.queue = any($2)) and (cardinality($3::text[]) = 0 or k.hash = any($3)) "        \
    "and (cardinality($4::text[]) = 0 or k.workflow = any($4)) "
#define WEFT_WANTED_QUEUE "cardinality($2::text[]) = 0 or q.name = any($2)"
// Claims nothing if one of these queues has limits. The last column tells this, so that one statement is enough for a
// store without ready runs.
constexpr PostgresStatement claim_ready{
    .name = "weft_claim",
    .sql = "with recursive limited as materialized (select exists (select from weft.queues q where " WEFT_WANTED_QUEUE
           ") as is_limited), " WEFT_FIRST_KIND "and not (select is_limited from limited) " WEFT_KIND_BEHIND
           "k.key" WEFT_LAST_KIND
           "next as materialized (select r.id from kinds k, lateral (select id, priority, created_at, "
           "number " WEFT_RUNS_OF_KIND WEFT_RUNS_IN_ORDER "$5::int8 for update skip locked) r where " WEFT_WANTED_KIND
           "  order by r.priority desc, r.created_at, r.number limit $5), " WEFT_FENCED WEFT_GOT
           "select " WEFT_POSTGRES_RUN ", is_limited::int::int8 from limited left join got on true",
    .has_one_plan = true};
// The later statement counts after this one has its locks, so it sees all that earlier claims have taken.
constexpr PostgresStatement lock_limits{
    "weft_lock_limits", "select from weft.queues q where cardinality($1::text[]) = 0 or q.name = any($1) "
                        "order by q.name for no key update"};
// The rules are those of choose_in_turn(). A queue without room is passed by a key that is greater than all others.
constexpr PostgresStatement claim_limited{
    .name = "weft_claim_limited",
    .sql =
        "with recursive limits as materialized (select q.name, q.per, q.running_per_key, q.running - least("
        "    q.running, (select count(*) from weft.runs r where r.status = 'running' and r.queue = q.name "
        "    and r.flow_key is not null)) as room, " WEFT_POSTGRES_TOKENS "as tokens, t.at "
        "  from weft.queues q, (select coalesce($6::timestamptz, clock_timestamp()) as at) t "
        "  where " WEFT_WANTED_QUEUE "), " WEFT_FIRST_KIND WEFT_KIND_BEHIND "case when exists ("
        "  select from limits l where l.name = k.queue and l.room = 0) then U&'\\+10FFFF' else k.key end" WEFT_LAST_KIND
        "wanted as materialized (select k.*, coalesce(u.running, 0) as running, l.room, "
        "  floor(l.tokens)::int8 as starts, "
        "  l.running_per_key - least(l.running_per_key, coalesce(u.running, 0)) as key_room "
        "  from kinds k left join limits l on l.name = k.queue left join lateral (select count(*) as running "
        "    from weft.runs r where r.status = 'running' and r.queue = k.queue and r.flow_key = k.key) u "
        "    on l.per <> '' where " WEFT_WANTED_KIND "), "
        "found as materialized (select k.queue, k.key, k.running, k.room, k.starts, k.key_room, r.* "
        "  from wanted k, lateral ((select id, priority, created_at, number, epoch = 0 as is_start " WEFT_RUNS_OF_KIND
        "and (k.starts is null or k.starts > 0) " WEFT_RUNS_IN_ORDER "least($5::int8, k.room, k.key_room)) union all "
        "  (select id, priority, created_at, number, false " WEFT_RUNS_OF_KIND
        "and epoch > 0 and k.starts <= 0 " WEFT_RUNS_IN_ORDER "least($5, k.room, k.key_room))) r), "
        "ranked as (select *, row_number() over (partition by queue, key order by priority desc, created_at, number)"
        "  as rank from found), "
        "allowed as (select *, running + rank as turn, row_number() over (partition by queue, is_start "
        "    order by priority desc, running + rank, created_at, number) as start "
        "  from ranked where key_room is null or rank <= key_room), "
        "given as materialized (select *, row_number() over (partition by queue order by priority desc, turn, "
        "created_at, number)"
        "    as nth_of_queue, row_number() over (partition by queue, priority order by turn, created_at, number) "
        "    as nth from allowed where starts is null or not is_start or start <= starts), "
        "places as materialized (select queue, priority, created_at, number, row_number() over (partition by queue, "
        "priority "
        "  order by created_at, number) as nth from found), "
        "chosen as materialized (select g.id from given g join places p using (queue, priority, nth) "
        "  where g.nth <= $5 and p.nth <= $5 and (g.room is null or g.nth_of_queue <= g.room) order by priority desc, "
        "p.created_at, p.number "
        "  limit $5), "
        "next as materialized (select id from weft.runs where status = 'ready' and id in (select id from chosen) "
        "  for update skip locked), " WEFT_FENCED
        ", flow_key = case when queue in (select name from limits) then coalesce(flow_key, '') end " WEFT_GOT
        ", spent as (update weft.queues q set tokens = l.tokens - s.starts, filled_at = l.at from limits l, "
        "  (select queue, count(*) as starts from got where epoch = 1 group by queue) s "
        "  where q.name = s.queue and l.name = s.queue and q.starts is not null) "
        "select " WEFT_POSTGRES_RUN ", l.is_limited::int::int8 "
        "from (select exists (select from limits) as is_limited) l left join got on true",
    .has_one_plan = true};
#undef WEFT_WANTED_QUEUE
#undef WEFT_WANTED_KIND
#undef WEFT_RUNS_IN_ORDER
#undef WEFT_RUNS_OF_KIND
#undef WEFT_LAST_KIND
#undef WEFT_KIND_BEHIND
#undef WEFT_FIRST_KIND
#undef WEFT_KINDS_IN_ORDER
#undef WEFT_FIRST_OF_KIND
constexpr PostgresStatement claim_named{
    "weft_claim_named",
    "with next as materialized (select id from weft.runs where id = any($11::text[]) and (status = 'ready' or "
    "  (status = 'waiting' and (epoch > 0 or wake_at <= coalesce($6::timestamptz, clock_timestamp())))) "
    "  and (cardinality($2::text[]) = 0 or queue = any($2)) and (cardinality($3::text[]) = 0 or hash = any($3)) "
    "  and (cardinality($4::text[]) = 0 or workflow = any($4)) and " WEFT_NOT_LEFT_OUT
    "  order by priority desc, created_at, number limit $5::int8 for update), " WEFT_FENCED WEFT_GOT
    "select " WEFT_POSTGRES_RUN " from got"};
#undef WEFT_NOT_LEFT_OUT
#undef WEFT_GOT
#undef WEFT_FENCED
constexpr PostgresStatement claim_number{
    "weft_claim_number",
    "insert into weft.workers (id, claims) values ($1, $2) on conflict (id) do update set claims = excluded.claims "
    "where workers.claims < excluded.claims"};
constexpr PostgresStatement claimed_runs{"weft_claimed", "select " WEFT_POSTGRES_RUN " from weft.runs where "
                                                         "status = 'running' and owner = $1 and claim = $2"};

class ClaimCall final : public PostgresCallOf<std::vector<RunRow>> {
public:
    /// `expects_limits` belongs to the store: whether its last claim saw a limited queue.
    ClaimCall(ClaimRequest claim, const PostgresClaimNumber& next_number, Store::Then<std::vector<RunRow>> then,
              const PostgresNow& now, bool& expects_limits)
        : PostgresCallOf(std::move(then)),
          claim_(std::move(claim)),
          next_number_(next_number),
          now_(now),
          expects_limits_(expects_limits) {
        changes = true;
    }
    void was_lost() override { finds_out_ = true; }
    void ask(PostgresConnection& connection) override {
        if (finds_out_) {
            connection.send(claim_number, PostgresValues(claim_.owner, claim_number_));
            return connection.send(claimed_runs, PostgresValues(claim_.owner, claim_number_));
        }
        claim_number_ = next_number_();
        PostgresValues values(claim_.owner, claim_.queues, claim_.hashes, claim_.workflows, bounded(claim_.most),
                              time_of(now_), claim_number_, claim_.except);
        const auto& behind = claim_.behind;
        values.add(behind ? std::optional<std::int64_t>(behind->priority) : std::nullopt);
        values.add(PostgresTime{behind ? std::optional(behind->created_at) : std::nullopt});
        if (!claim_.ids.empty()) {
            values.add(claim_.ids);
            return connection.send(claim_named, values);
        }
        is_within_limits_ = expects_limits_;
        if (!is_within_limits_) return connection.send(claim_ready, values);
        connection.send(lock_limits, PostgresValues(claim_.queues));
        connection.send(claim_limited, values);
    }
    bool take(std::span<PostgresRows> rows) override {
        auto& last = rows.back();
        std::vector<NumberedRun> found;
        for (int i = 0; i < last.size(); ++i)
            if (!last.is_null(i, 0)) found.push_back(read_run(last, i));
        value_ = in_order_of_claims(std::move(found));
        if (!finds_out_) {
            if (!claim_.ids.empty()) return true;
            expects_limits_ = last.number(0, run_columns) != 0;
            return is_within_limits_ || !expects_limits_;
        }
        if (!value_.empty() || ++again_ > most_again) return true;
        finds_out_ = false;  // the claim had no effect, and will have none
        return false;
    }

private:
    static constexpr int run_columns = 20;
    ClaimRequest claim_;
    const PostgresClaimNumber& next_number_;
    const PostgresNow& now_;
    bool& expects_limits_;
    bool is_within_limits_ = false;
    std::int64_t claim_number_ = 0;  // number of the last claim sent
    bool finds_out_ = false;         // the next round reads the result of a lost claim
    int again_ = 0;
};
}
}

namespace weft {
using namespace storage;
void PostgresStore::claim(ClaimRequest claim, Then<std::vector<RunRow>> then) {
    thread_->query(std::make_unique<ClaimCall>(std::move(claim), thread_->next_claim(), std::move(then), thread_->now(),
                                               thread_->expects_limits));
}
}
