// Calls that store runs, ticks, log entries and mail. Many calls share a transaction, so no statement may fail because
// of stored values: for a former owner, or a number that is taken, a statement changes no row. Only then, or after a
// lost connection, the call reads the stored rows, and decides by the rules that all stores share.
#include "engine/store/damaged.hpp"
#include "engine/store/flow.hpp"
#include "engine/store/postgres/connection_thread.hpp"
#include <algorithm>
#include <limits>
#include <utility>

namespace weft::storage {
void give_up_on(const std::string& run) {
    throw Error(Code::journal, "run " + run +
                                   " was changed by other processes too often, and a call about it was given "
                                   "up: try again");
}
void check_size(const PostgresRows& store_size, std::int64_t databases) {
    const auto count = store_size.size() > 0 ? store_size.number(0, 0) : 0;
    if (count == databases) return;
    throw Error(Code::configuration, "the store has " + std::to_string(count) + " databases, and this process knows " +
                                         std::to_string(std::max<std::int64_t>(databases, 1)) +
                                         " of them: start it again with all of them");
}
namespace {
std::vector<std::string_view> bodies_of(const auto& all) {
    std::vector<std::string_view> bodies;
    for (auto& one : all) bodies.emplace_back(one.body);
    return bodies;
}
std::vector<std::int64_t> sums_of(std::span<const StoredTick> ticks) {
    std::vector<std::int64_t> sums;
    for (auto& tick : ticks) sums.push_back(std::int64_t(tick.sum));
    return sums;
}
std::size_t size_of(const auto& all) {
    std::size_t size = 0;
    for (auto& one : all) size += one.body.size() + 16;
    return size;
}

constexpr PostgresStatement sums_by_number{
    "weft_sums", "select seq, sum from weft.ticks where run = $1 and seq >= $2 and seq < $3 order by seq"};

constexpr PostgresStatement run_by_key{"weft_run_by_key",
                                       "select id from weft.runs where workflow = $1 and start_key = $2"};
constexpr PostgresStatement new_run{
    "weft_new_run",
    "with made as ("
    "  insert into weft.runs (id, workflow, hash, queue, priority, status, owner, epoch, next_seq, start_key, "
    "    forked_from, options, created_at, updated_at, wake_at, flow_key) "
    "  select $1, $2, $3, $4, $5, case when $16::timestamptz > t.at then 'waiting' else $6 end, $7, $8, "
    "    $17::int8 + cardinality($12::text[]), $9, $10, $11, t.at, t.at, case when $16 > t.at then $16 end, "
    "    " WEFT_POSTGRES_KEY(
        "$4", "$18::text") " "
                           "  from (select coalesce($14::timestamptz, clock_timestamp()) as at) t "
                           "  where " WEFT_POSTGRES_SIZE(
                               "$19") " on conflict do nothing returning id), "
                                      "known as (insert into weft.definitions (hash, workflow, plan) select $3, $2, "
                                      "$15 from made "
                                      "on conflict do "
                                      "nothing), "
                                      "put as (insert into weft.ticks (run, seq, at, body, sum) "
                                      "  select made.id, $17::int8 + t.n - 1, coalesce($14, clock_timestamp()), "
                                      "t.body, t.sum "
                                      "  from made, unnest($12::text[], $13::int8[]) with ordinality t(body, sum, n)) "
                                      "select 1 from made"};

class CreateCall final : public PostgresCallOf<CreateReply> {
public:
    CreateCall(NewRun made, Then then, const PostgresOptions& options)
        : PostgresCallOf(std::move(then)), made_(std::move(made)), options_(options) {
        run = made_.id;
        bytes = size_of(made_.ticks) + made_.options.size() + made_.plan.plan.size();
        changes = is_patient = makes_rows = true;
        if (made_.owner.empty() && !made_.not_before)
            hint.emplace();  // a needless hint for an existing run costs little
    }
    void was_lost() override { reads_ = true; }
    void ask(PostgresConnection& connection) override {
        check_run(made_);
        if (++rounds_ > most_rounds) give_up_on(run);
        if (reads_) {
            connection.send(run_by_id, PostgresValues(run));
            connection.send(sums_by_number,
                            PostgresValues(run, bounded(first()), bounded(first() + made_.ticks.size())));
            connection.send(run_by_key, PostgresValues(made_.plan.workflow, made_.start_key));
            connection.send(store_size, PostgresValues());
            return;
        }
        const auto row = first_row(made_, std::numeric_limits<std::int64_t>::max());  // the server compares the times
        connection.send(new_run, PostgresValues(row.id, row.workflow, row.hash, row.queue, row.priority,
                                                name(row.status), TextOrNull{row.owner}, row.epoch,
                                                TextOrNull{row.start_key}, TextOrNull{row.forked_from}, row.options,
                                                bodies_of(made_.ticks), sums_of(made_.ticks), time_of(options_.now),
                                                made_.plan.plan, PostgresTime{made_.not_before}, bounded(first()),
                                                key_texts_of(made_), options_.databases));
    }
    bool take(std::span<PostgresRows> rows) override {
        value_ = {run, true};
        if (!reads_) {
            confirms = reads_ = rows[0].size() == 0;
            return !reads_;
        }
        reads_ = false;
        if (rows[0].size() > 0) {
            const auto there = read_run(rows[0], 0).row;
            std::vector<std::uint64_t> sums;
            for (int i = 0; i < rows[1].size(); ++i) sums.push_back(rows[1].count(i, 1));
            if (same_run(there, made_, sums)) return true;
            if (!same_key(there, made_)) id_is_taken(run);
            value_.is_new = false;
            return true;
        }
        if (made_.start_key.empty() || rows[2].size() == 0) {
            check_size(rows[3], options_.databases);
            return false;
        }
        value_ = {rows[2].text(0, 0), false};
        return true;
    }

private:
    std::uint64_t first() const { return made_.ticks.empty() ? 0 : made_.ticks.front().seq; }
    NewRun made_;
    const PostgresOptions& options_;
    bool reads_ = false;
    unsigned rounds_ = 0;
};

// Most appends store one tick only; each part of a longer statement costs the server time. A running run has an owner.
// A condition on its status would let the planner read all running runs by the index of these, if there were few of
// them when it planned.
#define WEFT_MINE "where id = $1 and epoch = $2 and next_seq = $3 and owner is not null returning id, status) "
#define WEFT_LEAVES "$8::text is not null and ($8 <> 'waiting' or mail = $9::int8)"
constexpr PostgresStatement append_tick{
    "weft_append_tick",
    "with mine as (update weft.runs set next_seq = next_seq + 1, takeovers = 0, "
    "  updated_at = coalesce($6::timestamptz, clock_timestamp()), waits_for = coalesce($7::text, waits_for) " WEFT_MINE
    "insert into weft.ticks (run, seq, at, body, sum) "
    "select id, $3, coalesce($6, clock_timestamp()), $4::text, $5::int8 from mine returning 'running'"};
#define WEFT_KNOWN_MAIL "1000"
static_assert(most_known_mail == 1000);
constexpr PostgresStatement begin_again{
    "weft_begin_again",
    "with mine as (update weft.runs set next_seq = next_seq + 1, takeovers = 0, "
    "  updated_at = coalesce($6::timestamptz, clock_timestamp()), waits_for = coalesce($7::text, waits_for) " WEFT_MINE
    ", gone as (delete from weft.ticks t using mine where t.run = mine.id and t.seq < $3), "
    "old as (delete from weft.inbox i using mine where i.run = mine.id "
    "  and i.taken < (select min(t.seq) from weft.ticks t where t.run = mine.id) and i.number < (select n.number "
    "  from weft.inbox n where n.run = mine.id order by n.number desc limit 1 offset " WEFT_KNOWN_MAIL " - 1)), "
    "past as (delete from weft.snapshots s using mine where s.run = mine.id) "
    "insert into weft.ticks (run, seq, at, body, sum) "
    "select id, $3, coalesce($6, clock_timestamp()), $4::text, $5::int8 from mine returning 'running'"};
constexpr PostgresStatement append_all{
    "weft_append_all",
    "with mine as (update weft.runs set next_seq = next_seq + cardinality($4::text[]), "
    "  updated_at = coalesce($6::timestamptz, clock_timestamp()), hash = coalesce($12::text, hash), "
    "  takeovers = case when cardinality($4) > 0 or (" WEFT_LEAVES ") then 0 else takeovers end, "
    "  waits_for = case when " WEFT_LEAVES " and $8 not in ('waiting', 'ready') then null "
    "    else coalesce($7::text, waits_for) end, "
    "  status = case when " WEFT_LEAVES " then $8 else status end, "
    "  owner = case when " WEFT_LEAVES " then null else owner end, "
    "  wake_at = case when " WEFT_LEAVES " then $10::timestamptz else wake_at end, "
    "  outcome = case when " WEFT_LEAVES " then $11::text else outcome end, "
    "  ended_at = case when " WEFT_LEAVES " and $8 not in ('waiting', 'ready') "
    "    then coalesce($6, clock_timestamp()) end " WEFT_MINE
    ", put as (insert into weft.ticks (run, seq, at, body, sum) "
    "  select mine.id, $3 + t.n - 1, coalesce($6, clock_timestamp()), t.body, t.sum "
    "  from mine, unnest($4, $5::int8[]) with ordinality t(body, sum, n)), "
    "seen as (update weft.inbox i set taken = $14::int8 from mine "
    "  where i.run = mine.id and i.id = any($13::text[]) and i.taken is null), "
    "kept as (insert into weft.snapshots (run, upto, body, sum) select id, $15::int8, $16::text, $17::int8 from mine "
    "  where $15 is not null on conflict (run) do update set upto = excluded.upto, body = excluded.body, "
    "  sum = excluded.sum where snapshots.upto < excluded.upto), "
    "known as (insert into weft.definitions (hash, workflow, plan) select $18::text, $19::text, $20::text from mine "
    "  where $18 is not null on conflict do nothing) "
    "select status from mine"};
#undef WEFT_LEAVES
#undef WEFT_KNOWN_MAIL
#undef WEFT_MINE

class AppendCall final : public PostgresCallOf<AppendReply> {
public:
    AppendCall(Batch batch, Then then, const PostgresNow& now)
        : PostgresCallOf(std::move(then)), batch_(std::move(batch)), now_(now), seq_(batch_.seq) {
        run = batch_.run;
        bytes = size_of(batch_.ticks) + (batch_.snapshot ? batch_.snapshot->body.size() : 0) +
                (batch_.plan ? batch_.plan->plan.size() : 0) + (batch_.left ? batch_.left->outcome.size() : 0);
        changes = is_patient = true;
    }
    void was_lost() override { reads_ = true; }
    void ask(PostgresConnection& connection) override {
        check_batch(batch_);
        if (++rounds_ > most_rounds) give_up_on(run);
        reads_ ? ask_what_is_there(connection) : write(connection);
    }
    bool take(std::span<PostgresRows> rows) override {
        if (reads_) return decide(rows);
        confirms = reads_ = rows[0].size() == 0;
        if (reads_) return false;
        value_ = batch_.left && rows[0].text(0, 0) == "running" ? AppendReply::has_mail : AppendReply::stored;
        return true;
    }

private:
    void ask_what_is_there(PostgresConnection& connection) const {
        connection.send(run_by_id, PostgresValues(run));
        connection.send(sums_by_number,
                        PostgresValues(run, bounded(batch_.seq), bounded(batch_.seq + batch_.ticks.size())));
    }
    void write(PostgresConnection& connection) const {
        const auto ticks = std::span(batch_.ticks).subspan(known_);
        const auto& left = batch_.left;
        const auto waits_for = is_last_ && batch_.waits_for ? std::optional<std::string_view>(*batch_.waits_for)
                                                            : std::nullopt;
        const bool has_more = !batch_.mail.empty() || batch_.snapshot || batch_.plan || left;
        if (!has_more && ticks.size() == 1)
            return connection.send(batch_.begins_again ? begin_again : append_tick,
                                   PostgresValues(run, bounded(batch_.epoch), bounded(seq_), ticks[0].body,
                                                  std::int64_t(ticks[0].sum), time_of(now_), waits_for));
        PostgresValues values(run, bounded(batch_.epoch), bounded(seq_), bodies_of(ticks), sums_of(ticks),
                              time_of(now_), waits_for);
        const bool leaves = left && is_last_;
        values.add(TextOrNull{leaves ? name(left->status) : std::string_view{}});
        values.add(leaves ? bounded(left->mail) : 0);
        values.add(PostgresTime{leaves ? left->wake_at : std::nullopt});
        values.add(leaves ? std::string_view(left->outcome) : std::string_view{});
        values.add(TextOrNull{is_last_ && batch_.plan ? std::string_view(batch_.plan->hash) : std::string_view{}});
        values.add(batch_.mail);
        values.add(bounded(batch_.seq));
        const auto& snapshot = batch_.snapshot;
        values.add(snapshot ? std::optional(bounded(snapshot->upto)) : std::nullopt);
        values.add(snapshot ? std::string_view(snapshot->body) : std::string_view{});
        values.add(snapshot ? std::int64_t(snapshot->sum) : 0);
        const auto& plan = batch_.plan;
        values.add(plan ? std::optional<std::string_view>(plan->hash) : std::nullopt);
        values.add(plan ? std::string_view(plan->workflow) : std::string_view{});
        values.add(plan ? std::string_view(plan->plan) : std::string_view{});
        connection.send(append_all, values);
    }
    bool decide(std::span<PostgresRows> rows) {
        value_ = AppendReply::fenced;
        if (rows[0].size() == 0) return true;
        const auto row = read_run(rows[0], 0).row;
        const auto verdict = judge(row, batch_, [&](std::uint64_t seq) -> std::optional<std::uint64_t> {
            for (int i = 0; i < rows[1].size(); ++i)
                if (rows[1].count(i, 0) == seq) return rows[1].count(i, 1);
            return {};
        });
        value_ = verdict.answer;
        if (!verdict.writes) return true;
        reads_ = false;
        known_ = verdict.known;
        is_last_ = verdict.is_last;
        seq_ = row.next_seq;
        return false;
    }

    Batch batch_;
    const PostgresNow& now_;
    std::uint64_t seq_;  // the first tick to write
    std::size_t known_ = 0;
    bool is_last_ = true, reads_ = false;
    unsigned rounds_ = 0;
};

// The lock of the run's row keeps a former owner from writing after the next owner has read.
constexpr PostgresStatement log_entries{
    "weft_log_entries",
    "with r as (select epoch from weft.runs where id = $1 for no key update), "
    "n as (select coalesce((select max(number) + 1 from weft.log_entries where run = $1), 0) as next), "
    "put as (insert into weft.log_entries (run, number, at, body) "
    "  select $1, $3 + e.i - 1, coalesce($5::timestamptz, clock_timestamp()), e.body "
    "  from r, n, unnest($4::text[]) with ordinality e(body, i) "
    "  where r.epoch = $2 and $3 <= n.next and e.i > n.next - $3) "
    "select r.epoch, n.next from r, n"};

class WriteLogCall final : public PostgresCallOf<LogReply> {
public:
    WriteLogCall(LogEntries entries, Then then, const PostgresNow& now)
        : PostgresCallOf(std::move(then)), entries_(std::move(entries)), now_(now) {
        run = entries_.run;
        bytes = size_of(entries_.entries);
        changes = is_patient = true;
        auto number = entries_.entries.empty() ? 0 : entries_.entries.front().number;
        for (auto& entry : entries_.entries)  // take the entries only if they follow the rules by themselves
            is_sound_ &= entry.number == number++ && entry.body.size() <= most_log_body;
    }
    void ask(PostgresConnection& connection) override {
        const auto bodies = is_sound_ ? bodies_of(entries_.entries) : std::vector<std::string_view>();
        const auto first = entries_.entries.empty() ? 0 : bounded(entries_.entries.front().number);
        connection.send(log_entries, PostgresValues(run, bounded(entries_.epoch), first, bodies, time_of(now_)));
    }
    bool take(std::span<PostgresRows> rows) override {
        if (rows[0].size() == 0) no_such_run(run);
        RunRow row;
        row.id = run;
        row.epoch = rows[0].count(0, 0);
        const auto next = rows[0].count(0, 1);
        const auto verdict = judge_log(row, next, entries_);
        value_ = {verdict.is_fenced, verdict.is_fenced ? next : next + entries_.entries.size() - verdict.known};
        return true;
    }

private:
    LogEntries entries_;
    const PostgresNow& now_;
    bool is_sound_ = true;
};

// The statement locks and counts mail in the run's row before it decides. So an owner that leaves the run at this
// moment either finishes first, and this statement makes the run ready, or stays because of the mail.
#define WEFT_WAKES "status = 'waiting' and (epoch > 0 or $5::int8 = 1)"
constexpr PostgresStatement new_mail{
    "weft_send",
    "with r as (select id, status, owner from weft.runs where id = $1 for no key update), "
    "put as (insert into weft.inbox (run, id, body, at) "
    "  select id, $2, $3, coalesce($4::timestamptz, clock_timestamp()) from r "
    "  where $6::int8 = 0 and status in ('ready', 'running', 'waiting') on conflict do nothing returning run), "
    "told as (update weft.runs set mail = mail + 1, waits_for = null, "
    "    updated_at = case when " WEFT_WAKES " then coalesce($4, clock_timestamp()) else updated_at end, "
    "    wake_at = case when " WEFT_WAKES " then null else wake_at end, "
    "    status = case when " WEFT_WAKES " then 'ready' else status end "
    "  from put where runs.id = put.run returning status) "
    "select coalesce((select status from told), r.status), (select count(*) from put), "
    "(select count(*) from weft.inbox where run = $1 and id = $2 and body = $3), r.owner, "
    "(select count(*) from weft.inbox where run = $1 and id = $2) from r"};
#undef WEFT_WAKES

class SendCall final : public PostgresCallOf<SendReply> {
public:
    SendCall(Mail mail, Then then, const PostgresNow& now)
        : PostgresCallOf(std::move(then)), mail_(std::move(mail)), now_(now) {
        run = mail_.run;
        bytes = mail_.body.size();
        changes = true;
    }
    void was_lost() override { is_again_ = true; }
    void ask(PostgresConnection& connection) override {
        check_mail(mail_);
        connection.send(new_mail, PostgresValues(run, mail_.id, mail_.body, time_of(now_), int(mail_.is_urgent),
                                                 int(mail_.only_asks)));
    }
    bool take(std::span<PostgresRows> rows) override {
        if (rows[0].size() == 0) no_such_run(run);
        // The mail that was sent before the connection was lost may have been stored while this statement waited for
        // the run's row. It counts as sent then, but only a later statement sees it.
        const bool found = rows[0].number(0, 1) > 0 || rows[0].number(0, 2) > 0;
        if (is_again_ && !found && !std::exchange(has_looked_, true)) return false;
        value_.status = status_of_postgres(rows[0].text(0, 0));
        value_.is_new = rows[0].number(0, 1) > 0 || (is_again_ && rows[0].number(0, 2) > 0);  // stored by this call
        value_.is_known = !value_.is_new && rows[0].number(0, 4) > 0;
        if (value_.is_new && !has_ended(value_.status)) hint = rows[0].text(0, 3);
        return true;
    }

private:
    Mail mail_;
    const PostgresNow& now_;
    bool is_again_ = false, has_looked_ = false;
};
}
}

namespace weft {
using namespace storage;
void PostgresStore::create(NewRun run, Then<CreateReply> then) {
    if (!run.debounce.empty())
        return thread_->append(debounced_start(std::move(run), std::move(then), thread_->options()));
    thread_->append(std::make_unique<CreateCall>(std::move(run), std::move(then), thread_->options()));
}
void PostgresStore::append(Batch batch, Then<AppendReply> then) {
    thread_->append(std::make_unique<AppendCall>(std::move(batch), std::move(then), thread_->now()));
}
void PostgresStore::write_log(LogEntries entries, Then<LogReply> then) {
    thread_->append(std::make_unique<WriteLogCall>(std::move(entries), std::move(then), thread_->now()));
}
void PostgresStore::send(Mail mail, Then<SendReply> then) {
    thread_->append(std::make_unique<SendCall>(std::move(mail), std::move(then), thread_->now()));
}
}
