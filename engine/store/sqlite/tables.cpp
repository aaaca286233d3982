// The shared rules choose runs in C++, from rows that SQL returns in order.
#include "engine/store/sqlite/tables.hpp"
#include "engine/store/damaged.hpp"
#include "engine/store/sqlite/survey.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace weft::storage {
namespace {
constexpr std::size_t most_rows_in_memory = 1000;
constexpr FindStatements newest_first{WEFT_SQLITE_FIND("", "order by created_at desc, number desc")},
    oldest_first{WEFT_SQLITE_FIND("", "order by updated_at, number")};

void append_number(std::string& all, std::uint64_t number) {  // little-endian on every machine
    std::array<char, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = char(number >> 8 * i);
    all.append(bytes.data(), bytes.size());
}
std::int64_t sum_of_texts(std::initializer_list<std::string_view> texts) {
    std::string all;
    std::size_t size = 0;
    for (auto text : texts) size += 8 + text.size();
    all.reserve(size);
    for (auto text : texts) {
        append_number(all, text.size());
        all += text;
    }
    return std::int64_t(chained_sum(0, texts.size(), all));
}
[[noreturn]] void damaged(const std::string& run, const std::string& what) {
    throw DamagedError(run, repair_utf8(what) + " is damaged in the store: its sum does not fit");
}
}
std::int64_t SqliteTables::sum_of(const Row& r) {
    std::string numbers;
    for (auto number :
         {std::int64_t(r.priority), std::int64_t(r.epoch), std::int64_t(r.next_seq), std::int64_t(r.mail),
          std::int64_t(r.takeovers), r.created_at, r.updated_at, r.wake_at.value_or(-1), r.last_tick.value_or(-1)})
        append_number(numbers, std::uint64_t(number));
    return sum_of_texts({r.id, r.workflow, r.hash, r.queue, r.start_key, r.forked_from, r.owner, r.options, r.outcome,
                         r.waits_for, name(r.status), numbers});
}
SqliteTables::Row SqliteTables::sound(Row row) {
    if (row.is_damaged) damaged(row.id, "the row of run " + row.id);
    return row;
}
SqliteTables::SqliteTables(SqliteConnection& connection, std::string file, std::function<std::int64_t()> now)
    : db_(connection),
      file_(std::move(file)),
      logs_(connection),
      flow_(connection),
      models_(connection, now),
      now_(std::move(now)) {
    renumber();
}
std::int64_t SqliteTables::last_number() const { return last_; }
// Other processes that send mail to a run change its row, too.
void SqliteTables::begin() {
    const auto version = db_.number("pragma data_version");
    const bool is_new = version != std::exchange(version_, version);
    if (is_new || rows_.size() > most_rows_in_memory) rows_.clear();
    if (!is_new) return;
    logs_.forget();
    flow_.forget();
    last_ = std::max(last_, newest_number());  // a visitor may have created a run
}
void SqliteTables::renumber() {
    rows_.clear();
    logs_.forget();
    flow_.forget();
    last_ = std::max(newest_number(), db_.number("select pruned_upto from meta"));
}
std::int64_t SqliteTables::newest_number() {
    return std::max(db_.number("select max(number) from ticks"), logs_.last_number());
}
std::int64_t SqliteTables::ticket() { return db_.number("select ticket from meta"); }
std::int64_t SqliteTables::draw_ticket() {
    db_.run("update meta set ticket = ticket + 1");
    return ticket();
}

SqliteTables::Row SqliteTables::read(const SqliteQuery& q) {
    Row r;
    r.id = q.text(0), r.workflow = q.text(1), r.hash = q.text(2), r.queue = q.text(3), r.priority = int(q.integer(4));
    const auto status = status_named(q.text(5));
    r.status = status.value_or(RunStatus::ready), r.is_damaged = !status;
    r.owner = q.text(6), r.epoch = std::uint64_t(q.integer(7)), r.next_seq = std::uint64_t(q.integer(8));
    r.mail = std::uint64_t(q.integer(9)), r.wake_at = q.maybe_integer(10), r.takeovers = std::uint64_t(q.integer(11));
    r.start_key = q.text(12), r.forked_from = q.text(13), r.options = q.text(14), r.outcome = q.text(15);
    r.waits_for = q.text(16), r.created_at = q.integer(17), r.updated_at = q.integer(18);
    r.last_tick = q.maybe_integer(19);
    r.is_damaged |= sum_of(r) != q.integer(20);
    r.number = q.integer(21);
    return r;
}
std::optional<SqliteTables::Row> SqliteTables::find(const std::string& run) {
    auto query = db_.query(WEFT_SQLITE_RUN "where id = ?1", run);
    if (!query.step()) return {};
    return sound(read(query));
}
SqliteTables::Row* SqliteTables::find_running(const std::string& run) {
    if (const auto known = rows_.find(run); known != rows_.end()) return &known->second;
    auto row = find(run);
    return row ? &rows_.insert_or_assign(run, *std::move(row)).first->second : nullptr;
}
std::vector<SqliteTables::Row> SqliteTables::find_all(const std::vector<std::string>& ids, const FindStatements& find,
                                                      std::size_t most,
                                                      const std::function<bool(const Row&)>& is_wanted) {
    std::vector<Row> rows;
    const auto names = nlohmann::json(ids).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    auto query = ids.empty() ? db_.query(find.all) : db_.query(find.named, names);
    while (rows.size() < most && query.step())
        if (auto row = read(query); is_wanted(row)) rows.push_back(std::move(row));
    return rows;
}
#define WEFT_INSERT_RUN(COLUMN, VALUE)                                                                                 \
    "insert into runs (id, workflow, hash, queue, priority, status, owner, epoch, next_seq, mail, wake_at, "           \
    "takeovers, start_key, forked_from, options, outcome, waits_for, created_at, updated_at, last_tick, sum" COLUMN    \
    ") values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21" VALUE   \
    ")"
void SqliteTables::insert(const Row& r, const std::string& key_texts) {
    const auto run = [&](const char* sql, const auto&... more) {
        db_.run(sql, r.id, r.workflow, r.hash, r.queue, r.priority, name(r.status), OrNull{r.owner}, r.epoch,
                r.next_seq, r.mail, r.wake_at, r.takeovers, OrNull{r.start_key}, OrNull{r.forked_from}, r.options,
                OrNull{r.outcome}, OrNull{r.waits_for}, r.created_at, r.updated_at, r.last_tick, sum_of(r), more...);
    };
    if (flow_.has_key_texts()) run(WEFT_INSERT_RUN(", key_texts", ", ?22"), key_texts);
    else run(WEFT_INSERT_RUN("", ""));
}
#undef WEFT_INSERT_RUN
void SqliteTables::progress(const Row& r) {
    db_.run("update runs set hash = ?2, next_seq = ?3, waits_for = ?4, updated_at = ?5, last_tick = ?6, sum = ?7 where "
            "id = ?1",
            r.id, r.hash, r.next_seq, OrNull{r.waits_for}, r.updated_at, r.last_tick, sum_of(r));
}
void SqliteTables::change(const Row& r) {
    if (const auto known = rows_.find(r.id); known != rows_.end() && &known->second != &r) rows_.erase(known);
    db_.run(
        "update runs set hash = ?2, status = ?3, owner = ?4, epoch = ?5, next_seq = ?6, mail = ?7, wake_at = ?8, "
        "takeovers = ?9, outcome = ?10, waits_for = ?11, updated_at = ?12, last_tick = ?13, sum = ?14 where id = ?1",
        r.id, r.hash, name(r.status), OrNull{r.owner}, r.epoch, r.next_seq, r.mail, r.wake_at, r.takeovers,
        OrNull{r.outcome}, OrNull{r.waits_for}, r.updated_at, r.last_tick, sum_of(r));
}
void SqliteTables::keep(const StoredPlan& plan) {
    db_.run("insert into definitions (hash, workflow, plan, sum) values (?1, ?2, ?3, ?4) on conflict do nothing",
            plan.hash, plan.workflow, plan.plan, sum_of_texts({plan.hash, plan.workflow, plan.plan}));
}
void SqliteTables::make_all_ready(SqliteQuery query, bool is_taken_over) {
    std::vector<Row> rows;
    while (query.step()) rows.push_back(read(query));
    for (auto& row : rows) {
        if (row.is_damaged) continue;
        make_ready(row, is_taken_over, now_());
        change(row);
    }
}

CreateReply SqliteTables::create(const NewRun& run) {
    check_run(run);
    if (!run.debounce.empty()) return add_debounced(run);
    if (auto row = find(run.id)) {
        std::vector<std::uint64_t> sums;
        for (auto& tick : ticks(*row, 0))
            if (sums.size() < run.ticks.size()) sums.push_back(tick.sum);
        if (same_run(*row, run, sums)) return {run.id, true};
        if (!same_key(*row, run)) id_is_taken(run.id);
        return {run.id, false};
    }
    return add(run);
}
CreateReply SqliteTables::add(const NewRun& run) {
    if (!run.start_key.empty()) {
        auto query = db_.query("select id from runs where workflow = ?1 and start_key = ?2", run.plan.workflow,
                               run.start_key);
        if (query.step()) return {query.text(0), false};
    }
    keep(run.plan);
    Row row{first_row(run, now_())};
    add_ticks(row, run.ticks, 0);
    const auto key_texts = key_texts_of(run);
    insert(row, key_texts);
    flow_.add_key(run.id, run.queue, key_texts);
    return {run.id, true};
}
std::vector<CreateReply> SqliteTables::create_all(const std::vector<NewRun>& runs) {
    check_runs(runs);
    return create_in_order(runs, [&](const NewRun& run) {
        return find(run.id) ? CreateReply{run.id, false} : add(run);
    });
}
AppendReply SqliteTables::append(const Batch& batch) {
    check_batch(batch);
    auto* row = find_running(batch.run);
    if (!row) return AppendReply::fenced;
    auto verdict = judge(*row, batch, [&](std::uint64_t seq) -> std::optional<std::uint64_t> {
        const auto found = ticks(*row, seq);
        return found.front().seq == seq ? std::optional(found.front().sum) : std::nullopt;
    });
    if (!verdict.writes) return verdict.answer;
    if (batch.begins_again && verdict.known == 0) {
        const auto first = remove_ticks(*row);
        db_.run("delete from inbox where run = ?1 and taken < ?2 and number < (select number from inbox where run = ?1 "
                "order by number desc limit 1 offset ?3)",
                batch.run, first, most_known_mail - 1);
        row->last_tick.reset();
        db_.run("delete from snapshots where run = ?1", batch.run);
    }
    add_ticks(*row, batch.ticks, verdict.known);
    for (auto& mail : batch.mail)
        db_.run("update inbox set taken = ?3 where run = ?1 and id = ?2 and taken is null", batch.run, mail, batch.seq);
    if (batch.snapshot)
        db_.run("insert into snapshots (run, upto, body, sum) values (?1, ?2, ?3, ?4) on conflict (run) do update set "
                "upto = excluded.upto, body = excluded.body, sum = excluded.sum where upto < excluded.upto",
                batch.run, batch.snapshot->upto, batch.snapshot->body, batch.snapshot->sum);
    if (batch.plan) keep(*batch.plan);
    row->next_seq += batch.ticks.size() - verdict.known;
    row->updated_at = now_();
    if (batch.plan && verdict.is_last) row->hash = batch.plan->hash;
    if (batch.waits_for && verdict.is_last) row->waits_for = *batch.waits_for;
    const bool was_taken_over = verdict.known < batch.ticks.size() && std::exchange(row->takeovers, 0) > 0;
    if (!verdict.leaves) {
        was_taken_over ? change(*row) : progress(*row);
        if (!row->waits_for.empty()) rows_.erase(batch.run);  // an idle run may wait for months
        return verdict.answer;
    }
    row->status = batch.left->status;
    row->wake_at = batch.left->wake_at;
    row->outcome = batch.left->outcome;
    if (has_ended(row->status)) row->waits_for.clear();
    row->owner.clear();
    row->takeovers = 0;
    change(*row);
    rows_.erase(batch.run);
    return verdict.answer;
}
std::vector<Mail> SqliteTables::load_mail(const std::string& run) {
    if (!find(run)) no_such_run(run);
    return mail_of(run);
}
std::vector<Mail> SqliteTables::mail_of(const std::string& run) {
    std::vector<Mail> all;
    auto query = db_.query("select id, body, sum from inbox where run = ?1 and taken is null order by number", run);
    while (query.step()) {
        const auto& mail = all.emplace_back(Mail{run, query.text(0), query.text(1)});
        if (sum_of_texts({run, mail.id, mail.body}) != query.integer(2))
            damaged(run, "mail " + mail.id + " of run " + run);
    }
    return all;
}
LogReply SqliteTables::write_log(const LogEntries& entries) {
    auto* row = find_running(entries.run);
    if (!row) no_such_run(entries.run);
    return logs_.write(*row, entries, last_);
}
LogPart SqliteTables::read_log(const std::string& run, std::uint64_t from, std::size_t most, std::size_t bytes) {
    if (!find(run)) no_such_run(run);
    return logs_.read(run, from, most, bytes);
}
StoredPlan SqliteTables::plan(const std::string& hash) {
    auto query = db_.query("select workflow, plan, sum from definitions where hash = ?1", hash);
    if (!query.step()) no_such_plan(hash);
    StoredPlan plan{.hash = hash, .workflow = query.text(0), .plan = query.text(1)};
    if (sum_of_texts({plan.hash, plan.workflow, plan.plan}) != query.integer(2)) damaged({}, "the declaration " + hash);
    return plan;
}
SendReply SqliteTables::send(const Mail& mail) {
    check_mail(mail);
    auto row = find(mail.run);
    if (!row) no_such_run(mail.run);
    const bool is_known = [&] {
        return db_.query("select 1 from inbox where run = ?1 and id = ?2", mail.run, mail.id).step();
    }();
    if (is_known || mail.only_asks || has_ended(row->status)) return {row->status, false, is_known};
    const auto sum = sum_of_texts({mail.run, mail.id, mail.body});
    db_.run("insert into inbox (run, id, body, at, sum) values (?1, ?2, ?3, ?4, ?5)", mail.run, mail.id, mail.body,
            now_(), sum);
    ++row->mail;
    row->waits_for.clear();  // the mail may be the awaited answer
    if (wakes(mail, *row)) make_ready(*row, false, now_());
    change(*row);
    return {row->status, true};
}
HeartbeatReply SqliteTables::heartbeat(const Heartbeat& worker, Leases& leases) {
    check_worker(worker);
    const auto now = now_();
    HeartbeatReply reply{.alive = leases.heartbeat(worker, now), .inboxes = {}};
    keep_worker(db_, worker, now, reply.alive);
    std::vector<std::string> owners;
    {
        auto query = db_.query("select distinct owner from runs where status = 'running'");
        while (query.step()) owners.push_back(query.text(0));
    }
    for (auto& owner : owners)
        if (!leases.is_alive(owner)) {
            leases.lose(owner);
            make_all_ready(db_.query(WEFT_SQLITE_RUN "where status = 'running' and owner = ?1", owner), true);
        }
    make_all_ready(db_.query(WEFT_SQLITE_RUN "where status = 'waiting' and wake_at <= ?1", now), false);
    auto query = db_.query("select distinct runs.id, runs.mail from inbox join runs on runs.id = inbox.run "
                           "where inbox.taken is null and runs.status = 'running' and runs.owner = ?1",
                           worker.id);
    while (query.step()) reply.inboxes.push_back({query.text(0), std::uint64_t(query.integer(1))});
    return reply;
}
std::vector<RunRow> SqliteTables::list(const Filter& filter) {
    std::vector<RunRow> rows;
    const auto is_wanted = [&](const Row& row) {
        return row.is_damaged ? takes_all(filter) || !filter.ids.empty() : takes(filter, row);
    };
    for (auto& row : find_all(filter.ids, newest_first, filter.most, is_wanted))
        rows.push_back(row.is_damaged && filter.ids.empty() ? damaged_row(row) : sound(std::move(row)));
    return rows;
}
std::uint64_t SqliteTables::prune(const Filter& filter) {
    std::uint64_t count = 0;
    const auto is_wanted = [&](const Row& row) {
        return row.is_damaged ? !filter.ids.empty() : has_ended(row.status) && takes(filter, row);
    };
    for (auto& row : find_all(filter.ids, oldest_first, filter.most, is_wanted)) {
        if (count == 0)  // never give the numbers of deleted rows again; a damaged row does not name them
            db_.run("update meta set pruned_upto = max(pruned_upto, ?1)", newest_number());
        remove_ticks(row);
        logs_.remove(row.id);
        db_.run("delete from snapshots where run = ?1", row.id);
        db_.run("delete from inbox where run = ?1", row.id);
        db_.run("delete from runs where id = ?1", row.id);
        rows_.erase(row.id);
        ++count;
    }
    return count;
}
bool SqliteTables::set_limits(const QueueLimits& limits) {
    flow_.set(limits, now_(), [this](const std::string& run) {
        const auto row = find(run);
        return !row || row->next_seq == 0 ? std::string() : ticks(*row, 0).front().body;
    });
    return true;
}
Survey SqliteTables::survey() {
    auto survey = survey_of(db_, now_());
    survey.flows = flow_.survey(survey.at);
    return survey;
}
void SqliteTables::release_all() {
    db_.run("delete from workers");
    make_all_ready(db_.query(WEFT_SQLITE_RUN "where status = 'running'"), true);
}
}
