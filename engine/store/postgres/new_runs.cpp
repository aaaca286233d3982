// Creates many runs by one statement: a thousand of them cost a server less than thirty statements of one run each.
#include "engine/store/flow.hpp"
#include "engine/store/postgres/connection_thread.hpp"
#include <map>
#include <set>
#include <utility>

namespace weft::storage {
namespace {
// A time of 0 is past, so that the run is ready.
constexpr PostgresStatement new_runs{
    "weft_new_runs",
    "with given as (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::int8[], "
    "  $7::text[], $8::int8[], $13::text[]) with ordinality "
    "  g(id, start_key, queue, options, priority, not_before, body, sum, keys, n)), "
    "made as (insert into weft.runs (id, workflow, hash, queue, priority, status, owner, epoch, next_seq, start_key, "
    "    forked_from, options, created_at, updated_at, wake_at, flow_key) "
    "  select g.id, $9, $10, g.queue, g.priority, case when w.at > t.at then 'waiting' else 'ready' end, null, 0, 1, "
    "    nullif(g.start_key, ''), null, g.options, t.at, t.at, case when w.at > t.at then w.at end, "
    "    " WEFT_POSTGRES_KEY(
        "g.queue",
        "g.keys") " "
                  "  from given g, (select coalesce($12::timestamptz, clock_timestamp()) as at) t, "
                  "    lateral (select timestamptz 'epoch' + g.not_before * interval '1 microsecond' as at) w "
                  "  where " WEFT_POSTGRES_SIZE("$14") " "
                                                       "  order by g.n on conflict do nothing returning id), "
                                                       "known as (insert into weft.definitions (hash, workflow, plan) "
                                                       "select $10, $9, $11 from made limit 1 "
                                                       "  on conflict do nothing), "
                                                       "put as (insert into weft.ticks (run, seq, at, body, sum) "
                                                       "  select g.id, 0, coalesce($12, clock_timestamp()), g.body, "
                                                       "g.sum from made join given g on g.id = "
                                                       "made.id) "
                                                       "select id from made"};
constexpr PostgresStatement runs_by_id{"weft_runs_by_id", "select id from weft.runs where id = any($1::text[])"};
constexpr PostgresStatement runs_by_key{
    "weft_runs_by_key", "select id, start_key from weft.runs where workflow = $1 and start_key = any($2::text[])"};

class CreateAllCall final : public PostgresCallOf<std::vector<CreateReply>> {
public:
    CreateAllCall(std::vector<NewRun> runs, Then then, const PostgresOptions& options)
        : PostgresCallOf(std::move(then)), runs_(std::move(runs)), options_(options) {
        for (auto& each : runs_) bytes += each.ticks.front().body.size() + each.options.size() + 64;
        changes = is_patient = makes_rows = true;
        hint.emplace();
        for (auto& each : runs_) value_.push_back({each.id, false});
        firsts_ = firsts_of_ids(runs_);
    }
    void ask(PostgresConnection& connection) override {
        if (++rounds_ > most_rounds)
            throw Error(Code::journal, "the runs of a call were changed by other processes too often, and it was given "
                                       "up: try again");
        reads_ ? look(connection) : write(connection);
    }
    bool take(std::span<PostgresRows> rows) override {
        if (reads_) return take_known(rows);
        std::set<std::string> made;
        for (int i = 0; i < rows[0].size(); ++i) made.insert(rows[0].text(i, 0));
        for (std::size_t i = 0; i < runs_.size(); ++i)
            if (firsts_[i] == i) value_[i].is_new |= made.contains(runs_[i].id);
        confirms = reads_ = std::ranges::count(value_, false, &CreateReply::is_new) > 0;
        return !reads_;
    }

private:
    void write(PostgresConnection& connection) const {
        std::vector<std::string> ids, keys, queues, options, bodies, texts;
        std::vector<std::int64_t> priorities, times, sums;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            if (firsts_[i] != i) continue;  // one statement must not store two ticks of a run
            auto& each = runs_[i];
            ids.push_back(each.id);
            keys.push_back(each.start_key);
            queues.push_back(each.queue);
            options.push_back(each.options);
            priorities.push_back(each.priority);
            times.push_back(each.not_before.value_or(0));
            texts.push_back(key_texts_of(each));
            bodies.push_back(each.ticks.front().body);
            sums.push_back(std::int64_t(each.ticks.front().sum));
        }
        const auto& plan = runs_.front().plan;
        connection.send(new_runs,
                        PostgresValues(ids, keys, queues, options, priorities, times, bodies, sums, plan.workflow,
                                       plan.hash, plan.plan, time_of(options_.now), texts, options_.databases));
    }
    void look(PostgresConnection& connection) const {
        std::vector<std::string> ids, keys;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            if (value_[i].is_new) continue;
            ids.push_back(runs_[i].id);
            if (!runs_[i].start_key.empty()) keys.push_back(runs_[i].start_key);
        }
        connection.send(runs_by_id, PostgresValues(ids));
        connection.send(runs_by_key, PostgresValues(runs_.front().plan.workflow, keys));
        connection.send(store_size, PostgresValues());
    }
    bool take_known(std::span<PostgresRows> rows) {
        reads_ = false;
        std::set<std::string> ids;
        std::map<std::string, std::string> by_key;
        for (int i = 0; i < rows[0].size(); ++i) ids.insert(rows[0].text(i, 0));
        for (int i = 0; i < rows[1].size(); ++i) by_key.emplace(rows[1].text(i, 1), rows[1].text(i, 0));
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            if (firsts_[i] != i) value_[i].id = value_[firsts_[i]].id;
            if (firsts_[i] != i || value_[i].is_new || ids.contains(runs_[i].id)) continue;
            const auto known = by_key.find(runs_[i].start_key);
            if (known == by_key.end()) {  // deleted meanwhile
                check_size(rows[2], options_.databases);
                return false;
            }
            value_[i].id = known->second;
        }
        return true;
    }
    std::vector<NewRun> runs_;
    std::vector<std::size_t> firsts_;  // see firsts_of_ids()
    const PostgresOptions& options_;
    bool reads_ = false;  // the next round reads which runs the store has
    unsigned rounds_ = 0;
};
}
}

namespace weft {
using namespace storage;
void PostgresStore::create_all(std::vector<NewRun> runs, Then<std::vector<CreateReply>> then) {
    try {
        check_runs(runs);
    } catch (...) { return then(std::current_exception(), {}); }
    if (runs.empty()) return then(nullptr, {});
    thread_->append(std::make_unique<CreateAllCall>(std::move(runs), std::move(then), thread_->options()));
}
}
