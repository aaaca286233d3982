// Claims, leases, takeovers, and the deletion of ended runs. Several processes do all of these at once: each skips rows
// that another process has locked, and the same work done twice has one effect.
#include "engine/store/postgres/connection_thread.hpp"
#include <algorithm>
#include <tuple>

namespace weft::storage {
namespace {
constexpr std::int64_t longest_lease = 366LL * 24 * 3600 * 1000;  // milliseconds
constexpr std::int64_t pruned_at_once = 200;                      // fewer after a deletion that took too long
constexpr int most_again = 15;                                    // repetitions of claims without effect

std::vector<RunRow> in_order_of_claims(std::vector<NumberedRun> found) {
    std::sort(found.begin(), found.end(), [](const NumberedRun& a, const NumberedRun& b) {
        return std::tuple(~a.row.priority, a.row.created_at, a.number) <
               std::tuple(~b.row.priority, b.row.created_at, b.number);
    });
    std::vector<RunRow> rows;
    for (auto& each : found) rows.push_back(std::move(each.row));
    return rows;
}

// A row with an epoch that cannot grow is damaged, and must not block other runs.
#define WEFT_MOST_EPOCH "9000000000000000000"
// If the answer to a claim is lost, no run may remain that has an owner but is not executed. So each claim has a number
// greater than those before; its transaction stores the number with the owner if the stored number is smaller. To learn
// the result of a claim, the store first stores its number there: after that no copy of the claim under way takes a
// run.
#define WEFT_CLAIM                                                                                                     \
    "fence as (insert into weft.workers (id, claims) select $1, $7 from next limit 1 on conflict (id) do update "      \
    "  set claims = excluded.claims where workers.claims < excluded.claims and not workers.lost returning 1), "        \
    "got as (update weft.runs set status = 'running', owner = $1, epoch = epoch + 1, claim = $7, wake_at = null, "     \
    "    waits_for = null, updated_at = coalesce($6::timestamptz, clock_timestamp()) "                                 \
    "  from fence where id in (select id from next) returning runs.*) "                                                \
    "select " WEFT_POSTGRES_RUN " from got"
#define WEFT_NOT_LEFT_OUT                                                                                              \
    "epoch < " WEFT_MOST_EPOCH " and id <> all($8::text[]) and ($9::int8 is null or priority < $9 or (priority = $9 "  \
    "and created_at > $10::timestamptz))"
// Steps from one kind of ready runs to the next, however many runs each kind has; reads the wanted kinds by an index.
// The index keeps entries of claimed runs until a vacuum, and a scan from the start of a kind passes all of them. The
// step to a kind passes them once, and finds the kind's first run; the scan for runs to claim begins there.
#define WEFT_FIRST_OF_KIND                                                                                             \
    "select queue, workflow, hash, ~priority as place, created_at, number from weft.runs where status = 'ready' "
#define WEFT_KINDS_IN_ORDER "order by queue, workflow, hash, ~priority, created_at, number limit 1)"
constexpr PostgresStatement claim_ready{
    .name = "weft_claim",
    .sql = "with recursive kinds as ((" WEFT_FIRST_OF_KIND WEFT_KINDS_IN_ORDER
           " union all select r.* from kinds k, lateral (" WEFT_FIRST_OF_KIND
           "  and (queue, workflow, hash) > (k.queue, k.workflow, k.hash) " WEFT_KINDS_IN_ORDER " r), "
           "next as materialized (select r.id from kinds k, lateral (select id, priority, created_at, number "
           "  from weft.runs where status = 'ready' and queue = k.queue and workflow = k.workflow and hash = k.hash "
           "  and (~priority, created_at, number) >= (k.place, k.created_at, k.number) and " WEFT_NOT_LEFT_OUT
           "  order by ~priority, created_at, number limit $5::int8 for update skip locked) r "
           "  where (cardinality($2::text[]) = 0 or k.queue = any($2)) and (cardinality($3::text[]) = 0 or "
           "  k.hash = any($3)) and (cardinality($4::text[]) = 0 or k.workflow = any($4)) "
           "  order by r.priority desc, r.created_at, r.number limit $5), " WEFT_CLAIM,
    .has_one_plan = true};
#undef WEFT_KINDS_IN_ORDER
#undef WEFT_FIRST_OF_KIND
constexpr PostgresStatement claim_named{
    "weft_claim_named",
    "with next as materialized (select id from weft.runs where id = any($11::text[]) and (status = 'ready' or "
    "  (status = 'waiting' and (epoch > 0 or wake_at <= coalesce($6::timestamptz, clock_timestamp())))) "
    "  and (cardinality($2::text[]) = 0 or queue = any($2)) and (cardinality($3::text[]) = 0 or hash = any($3)) "
    "  and (cardinality($4::text[]) = 0 or workflow = any($4)) and " WEFT_NOT_LEFT_OUT
    "  order by priority desc, created_at, number limit $5::int8 for update), " WEFT_CLAIM};
#undef WEFT_NOT_LEFT_OUT
#undef WEFT_CLAIM
constexpr PostgresStatement claim_number{
    "weft_claim_number",
    "insert into weft.workers (id, claims) values ($1, $2) on conflict (id) do update set claims = excluded.claims "
    "where workers.claims < excluded.claims"};
constexpr PostgresStatement claimed_runs{"weft_claimed", "select " WEFT_POSTGRES_RUN " from weft.runs where "
                                                         "status = 'running' and owner = $1 and claim = $2"};

class ClaimCall final : public PostgresCallOf<std::vector<RunRow>> {
public:
    ClaimCall(ClaimRequest claim, const PostgresClaimNumber& next_number, Store::Then<std::vector<RunRow>> then,
              const PostgresNow& now)
        : PostgresCallOf(std::move(then)), claim_(std::move(claim)), next_number_(next_number), now_(now) {
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
        if (claim_.ids.empty()) return connection.send(claim_ready, values);
        values.add(claim_.ids);
        connection.send(claim_named, values);
    }
    bool take(std::span<PostgresRows> rows) override {
        std::vector<NumberedRun> found;
        auto& last = rows.back();
        for (int i = 0; i < last.size(); ++i) found.push_back(read_run(last, i));
        value_ = in_order_of_claims(std::move(found));
        if (!finds_out_ || !value_.empty() || ++again_ > most_again) return true;
        finds_out_ = false;  // the claim had no effect, and will have none
        return false;
    }

private:
    ClaimRequest claim_;
    const PostgresClaimNumber& next_number_;
    const PostgresNow& now_;
    std::int64_t claim_number_ = 0;  // number of the last claim sent
    bool finds_out_ = false;         // the next round reads the result of a lost claim
    int again_ = 0;
};

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
// Steps from one owner to the next, however many runs each owner has.
constexpr PostgresStatement lost_runs{
    "weft_lost_runs",
    "with recursive owners as ((select owner from weft.runs where status = 'running' order by owner limit 1) "
    "  union all select (select r.owner from weft.runs r where r.status = 'running' and r.owner > o.owner "
    "  order by r.owner limit 1) from owners o where o.owner is not null), "
    "dead as (select array_agg(owner) as ids from owners where owner is not null and not exists ("
    "  select from weft.workers w where w.id = owner and w.lease_until is not null and not w.lost)), "
    "lost as materialized (select id from weft.runs where status = 'running' and owner = any((select ids from dead)"
    "::text[]) and epoch < " WEFT_MOST_EPOCH " order by owner limit 1000 for update skip locked) "
    "update weft.runs set status = 'ready', owner = null, wake_at = null, epoch = epoch + 1, "
    "takeovers = least(takeovers, 1000000) + 1, updated_at = " WEFT_NOW " where id = any(array(select id from lost))"};
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
constexpr PostgresStatement full_inboxes{
    "weft_inboxes", "select id, mail from weft.runs r where status = 'running' and owner = $1 and mail > 0 and exists ("
                    "select from weft.inbox i where i.run = r.id and i.taken is null)"};

class BeatCall final : public PostgresCallOf<HeartbeatReply> {
public:
    BeatCall(Heartbeat worker, Store::Then<HeartbeatReply> then, const PostgresNow& now)
        : PostgresCallOf(std::move(then)), worker_(std::move(worker)), now_(now) {
        is_urgent = worker_.lease_ms > 0;  // the last heartbeat follows all data that its owner stores
    }
    void ask(PostgresConnection& connection) override {
        check_worker(worker_);
        const auto now = time_of(now_);
        const auto lease = std::min(worker_.lease_ms, longest_lease);
        if (lease > 0) connection.send(this_lease, PostgresValues(now, worker_.id, lease, worker_.info));
        else connection.send(returned_lease, PostgresValues(now, worker_.id));
        connection.send(lost_leases, PostgresValues(now, worker_.id));
        connection.send(lost_runs, PostgresValues(now));
        connection.send(due_runs, PostgresValues(now));
        connection.send(forgotten_workers, PostgresValues(now));
        connection.send(full_inboxes, PostgresValues(worker_.id));
    }
    bool take(std::span<PostgresRows> rows) override {
        value_ = {.alive = rows[0].size() > 0, .inboxes = {}};
        if (value_.alive && worker_.lease_ms > 0) value_.at = rows[0].number(0, 0);
        for (int i = 0; i < rows[5].size(); ++i) value_.inboxes.push_back({rows[5].text(i, 0), rows[5].count(i, 1)});
        return true;
    }

private:
    Heartbeat worker_;
    const PostgresNow& now_;
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
        changes = true;
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
void PostgresStore::claim(ClaimRequest claim, Then<std::vector<RunRow>> then) {
    thread_->query(
        std::make_unique<ClaimCall>(std::move(claim), thread_->next_claim(), std::move(then), thread_->now()));
}
void PostgresStore::heartbeat(Heartbeat worker, Then<HeartbeatReply> then) {
    thread_->query(std::make_unique<BeatCall>(std::move(worker), std::move(then), thread_->now()));
}
void PostgresStore::prune(Filter filter, Then<std::uint64_t> then) {
    thread_->query(std::make_unique<PruneCall>(std::move(filter), std::move(then)));
}
}
