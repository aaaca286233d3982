// Calls that read. One transaction with one snapshot reads a history, except for ticks beyond a first portion: these
// never change, and a heartbeat must not wait for a long history.
#include "engine/store/damaged.hpp"
#include "engine/store/postgres/connection_thread.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>

namespace weft::storage {
namespace {
constexpr std::uint64_t ticks_at_once = 2000;

constexpr PostgresStatement one_moment{"weft_one_moment", "begin isolation level repeatable read, read only", true};
constexpr PostgresStatement end_of_moment{"weft_end_of_moment", "commit"};
constexpr PostgresStatement snapshot_of_run{"weft_snapshot",
                                            "select upto, body, sum from weft.snapshots where run = $1"};
constexpr PostgresStatement mail_of_run{
    "weft_mail", "select id, body from weft.inbox where run = $1 and taken is null order by number"};
constexpr PostgresStatement first_ticks{
    // also the tick before them, whose sum their sums continue
    "weft_first_ticks",
    "select seq, body, sum from weft.ticks where run = $1 and seq >= "
    "least($2, coalesce((select upto from weft.snapshots where run = $1), 0)) - 1 order by seq limit $3"};
constexpr PostgresStatement more_ticks{
    "weft_more_ticks", "select seq, body, sum from weft.ticks where run = $1 and seq >= $2 order by seq limit $3"};

std::vector<Mail> mail_in(const std::string& run, const PostgresRows& rows) {
    std::vector<Mail> mail;
    for (int i = 0; i < rows.size(); ++i) mail.push_back({run, rows.text(i, 0), rows.text(i, 1)});
    return mail;
}

class LoadCall final : public PostgresCallOf<History> {
public:
    LoadCall(std::string id, std::uint64_t from, Store::Then<History> then)
        : PostgresCallOf(std::move(then)), from_(from) {
        run = std::move(id);
    }
    void was_lost() override { begin_again(); }
    void ask(PostgresConnection& connection) override {
        if (has_row_) return connection.send(more_ticks, PostgresValues(run, bounded(next_tick()), ticks_at_once));
        connection.send(one_moment, PostgresValues());
        connection.send(run_by_id, PostgresValues(run));
        connection.send(snapshot_of_run, PostgresValues(run));
        connection.send(mail_of_run, PostgresValues(run));
        connection.send(first_ticks, PostgresValues(run, ignores_snapshot_ ? 0 : bounded(from_), ticks_at_once));
        connection.send(end_of_moment, PostgresValues());
    }
    bool take(std::span<PostgresRows> rows) override {
        if (!has_row_ && !take_first(rows)) return false;
        const auto before = ticks_.size();
        take_ticks(std::exchange(has_row_, true) ? rows[0] : rows[4]);
        if (next_tick() < value_.run.next_seq && ticks_.size() > before) return false;
        return finish();
    }

private:
    bool take_first(std::span<PostgresRows> rows) {
        if (rows[1].size() == 0) no_such_run(run);
        value_.run = read_run(rows[1], 0).row;
        value_.snapshot.reset();
        if (rows[2].size() > 0) value_.snapshot = {rows[2].count(0, 0), rows[2].text(0, 1), rows[2].count(0, 2)};
        const bool had_one = value_.snapshot.has_value();
        drop_if_damaged(value_.snapshot);
        if (had_one && !value_.snapshot && !std::exchange(ignores_snapshot_, true)) return false;
        first_ = std::min(from_, value_.snapshot ? value_.snapshot->upto : 0);
        value_.mail = mail_in(run, rows[3]);
        return true;
    }
    void take_ticks(const PostgresRows& rows) {
        for (int i = 0; i < rows.size(); ++i)
            if (rows.count(i, 0) < value_.run.next_seq)
                ticks_.push_back({rows.count(i, 0), rows.text(i, 1), rows.count(i, 2)});
    }
    std::uint64_t next_tick() const { return ticks_.empty() ? first_ : ticks_.back().seq + 1; }
    bool finish() {
        std::uint64_t before = 0;
        if (first_ > 0 && !ticks_.empty() && ticks_.front().seq == first_ - 1) {
            before = ticks_.front().sum;
            ticks_.erase(ticks_.begin());
        }
        try {
            check_ticks(run, ticks_, first_, value_.run.next_seq, before);
        } catch (const DamagedError&) {
            if (std::exchange(was_missing_, true)) throw;
            begin_again();  // the run may have been pruned between two portions
            return false;
        }
        value_.ticks = std::move(ticks_);
        return true;
    }
    void begin_again() {
        has_row_ = false;
        ticks_.clear();
    }

    std::uint64_t from_, first_ = 0;
    std::vector<StoredTick> ticks_;
    bool has_row_ = false, ignores_snapshot_ = false, was_missing_ = false;
};

constexpr PostgresStatement run_is_there{"weft_run_is_there", "select 1 from weft.runs where id = $1"};

class LoadMailCall final : public PostgresCallOf<std::vector<Mail>> {
public:
    LoadMailCall(std::string id, Store::Then<std::vector<Mail>> then) : PostgresCallOf(std::move(then)) {
        run = std::move(id);
    }
    void ask(PostgresConnection& connection) override {
        connection.send(run_is_there, PostgresValues(run));
        connection.send(mail_of_run, PostgresValues(run));
    }
    bool take(std::span<PostgresRows> rows) override {
        if (rows[0].size() == 0) no_such_run(run);
        value_ = mail_in(run, rows[1]);
        return true;
    }
};

constexpr PostgresStatement end_of_log{
    "weft_end_of_log",
    "select coalesce((select max(number) + 1 from weft.log_entries where run = $1), 0) from weft.runs where id = $1"};
constexpr PostgresStatement part_of_log{
    // also the entry that exceeds the bytes, so that an answer has at least one entry
    "weft_part_of_log",
    "select number, body from (select number, body, sum(octet_length(body)) over (order by number) - "
    "octet_length(body) as before from weft.log_entries where run = $1 and number >= $2 order by number limit $3) e "
    "where before <= $4 order by number"};

class ReadLogCall final : public PostgresCallOf<LogPart> {
public:
    ReadLogCall(std::string id, std::uint64_t from, std::size_t most, std::size_t bytes, Store::Then<LogPart> then)
        : PostgresCallOf(std::move(then)),
          from_(from),
          most_(std::min(most, most_log_entries)),
          bytes_(std::min(bytes, most_log_bytes)) {
        run = std::move(id);
    }
    void ask(PostgresConnection& connection) override {
        connection.send(end_of_log, PostgresValues(run));
        connection.send(part_of_log, PostgresValues(run, bounded(from_), most_, bytes_));
    }
    bool take(std::span<PostgresRows> rows) override {
        if (rows[0].size() == 0) no_such_run(run);
        value_.next = rows[0].count(0, 0);
        LogRoom room(most_, bytes_);
        auto number = from_;
        const auto& entries = rows[1];
        for (int i = 0; i < entries.size() && number < value_.next; ++i, ++number) {
            auto body = entries.text(i, 1);
            if (entries.count(i, 0) != number) refuse(number);
            if (!room.takes(body)) return true;
            value_.entries.push_back({number, std::move(body)});
        }
        if (value_.entries.empty() && most_ > 0 && from_ < value_.next) refuse(from_);
        return true;
    }

private:
    [[noreturn]] void refuse(std::uint64_t entry) const {
        throw DamagedError(run, "run " + repair_utf8(run) + ": entry " + std::to_string(entry) +
                                    " of its log is missing in the store");
    }
    std::uint64_t from_;
    std::size_t most_, bytes_;
};

constexpr PostgresStatement plan_by_hash{"weft_plan", "select workflow, plan from weft.definitions where hash = $1"};

class PlanCall final : public PostgresCallOf<StoredPlan> {
public:
    PlanCall(std::string hash, Store::Then<StoredPlan> then)
        : PostgresCallOf(std::move(then)), hash_(std::move(hash)) {}
    void ask(PostgresConnection& connection) override { connection.send(plan_by_hash, PostgresValues(hash_)); }
    bool take(std::span<PostgresRows> rows) override {
        if (rows[0].size() == 0) no_such_plan(hash_);
        value_ = {hash_, rows[0].text(0, 0), rows[0].text(0, 1)};
        return true;
    }

private:
    std::string hash_;
};

#define WEFT_FILTERED                                                                                                  \
    "(cardinality($1::text[]) = 0 or workflow = any($1)) and (cardinality($2::text[]) = 0 or status = any($2)) "       \
    "and ($3::timestamptz is null or updated_at < $3) order by created_at desc, number desc limit $4"
constexpr PostgresStatement all_runs{"weft_list", "select " WEFT_POSTGRES_RUN " from weft.runs where " WEFT_FILTERED};
constexpr PostgresStatement named_runs{
    "weft_list_named", "select " WEFT_POSTGRES_RUN " from weft.runs where id = any($5::text[]) and ($6::text = '' or "
                       "status = 'running' and owner = $6) and " WEFT_FILTERED};
constexpr PostgresStatement owned_runs{"weft_list_owned",
                                       "select " WEFT_POSTGRES_RUN
                                       " from weft.runs where status = 'running' and owner = $5 and " WEFT_FILTERED};
#undef WEFT_FILTERED

class ListCall final : public PostgresCallOf<std::vector<RunRow>> {
public:
    ListCall(Filter filter, Store::Then<std::vector<RunRow>> then)
        : PostgresCallOf(std::move(then)), filter_(std::move(filter)) {}
    void ask(PostgresConnection& connection) override {
        auto values = values_of(filter_, bounded(filter_.most));
        const bool is_named = !filter_.ids.empty();
        if (is_named || !filter_.owner.empty()) values.add(filter_.owner);
        connection.send(is_named ? named_runs : filter_.owner.empty() ? all_runs : owned_runs, values);
    }
    bool take(std::span<PostgresRows> rows) override {
        for (int i = 0; i < rows[0].size(); ++i) value_.push_back(read_run(rows[0], i).row);
        return true;
    }

private:
    Filter filter_;
};
}
PostgresValues values_of(const Filter& filter, std::int64_t most) {
    std::vector<std::string> statuses;
    for (auto status : filter.statuses) statuses.emplace_back(name(status));
    PostgresValues values(filter.workflows, statuses, PostgresTime{filter.updated_before}, most);
    if (!filter.ids.empty()) values.add(filter.ids);
    return values;
}
RunStatus status_of_postgres(std::string_view text) {
    return status_named(text).value_or(RunStatus::failed);  // weft stores no other values
}
NumberedRun read_run(const PostgresRows& rows, int at) {
    RunRow r;
    r.id = rows.text(at, 0), r.workflow = rows.text(at, 1), r.hash = rows.text(at, 2), r.queue = rows.text(at, 3);
    r.start_key = rows.text(at, 4), r.forked_from = rows.text(at, 5), r.owner = rows.text(at, 6);
    r.options = rows.text(at, 7), r.outcome = rows.text(at, 8), r.waits_for = rows.text(at, 9);
    r.status = status_of_postgres(rows.text(at, 10)), r.priority = int(rows.number(at, 11));
    r.epoch = rows.count(at, 12), r.next_seq = rows.count(at, 13), r.mail = rows.count(at, 14);
    r.takeovers = rows.count(at, 15);
    r.created_at = rows.time(at, 16).value_or(0), r.updated_at = rows.time(at, 17).value_or(0);
    r.wake_at = rows.time(at, 18);
    return {.row = std::move(r), .number = rows.number(at, 19)};
}
}

namespace weft {
using namespace storage;
void PostgresStore::load(std::string run, Then<History> then, std::uint64_t from) {
    thread_->query(std::make_unique<LoadCall>(std::move(run), from, std::move(then)));
}
void PostgresStore::load_mail(std::string run, Then<std::vector<Mail>> then) {
    thread_->query(std::make_unique<LoadMailCall>(std::move(run), std::move(then)));
}
void PostgresStore::read_log(std::string run, std::uint64_t from, std::size_t most, Then<LogPart> then,
                             std::size_t bytes) {
    thread_->query(std::make_unique<ReadLogCall>(std::move(run), from, most, bytes, std::move(then)));
}
void PostgresStore::plan(std::string hash, Then<StoredPlan> then) {
    thread_->query(std::make_unique<PlanCall>(std::move(hash), std::move(then)));
}
void PostgresStore::list(Filter filter, Then<std::vector<RunRow>> then) {
    thread_->query(std::make_unique<ListCall>(std::move(filter), std::move(then)));
}
}
