// Sets the limits of a queue, then the keys of its runs, a page at a time. New runs have keys by the new limits as soon
// as these are stored. A run that another process creates at the same moment may have no key: it counts as a run
// without one. Later limits of another process, with another key, end the call: that process sets the keys.
#include "engine/store/flow.hpp"
#include "engine/store/postgres/connection_thread.hpp"

namespace weft::storage {
namespace {
constexpr int runs_at_once = 200;
constexpr PostgresStatement new_limits{
    "weft_set_limits",
    "insert into weft.queues (name, running, per, running_per_key, starts, seconds, tokens, filled_at) "
    "select $1, $2::int8, $3, $4::int8, $6::int8, $7::int8, greatest(1, $6::float8 / $7::float8), "
    "  coalesce($8::timestamptz, clock_timestamp()) where " WEFT_POSTGRES_SIZE(
        "$9") " and (exists (select from weft.queues where name = $1) or (select count(*) from weft.queues) < "
              "$5::int8) "
              "on conflict (name) do update set running = excluded.running, per = excluded.per, "
              "running_per_key = excluded.running_per_key, starts = excluded.starts, seconds = excluded.seconds, "
              "tokens = case when queues.starts is null then excluded.tokens else queues.tokens end, "
              "filled_at = case when queues.starts is null then excluded.filled_at else queues.filled_at end returning "
              "1"};
constexpr PostgresStatement no_limits{"weft_remove_limits",
                                      "delete from weft.queues where name = $1 and " WEFT_POSTGRES_SIZE("$2")};
// The later statement of its round sees these limits, and no other process changes them before the round ends.
constexpr PostgresStatement same_per{
    "weft_same_per", "select count(*) from (select per from weft.queues where name = $1 for no key update) q "
                     "where $3::int8 = 0 or per = $2"};
constexpr PostgresStatement runs_of_queue{
    "weft_runs_of_queue",
    "select id, case when $3::int8 = 1 then (select body from weft.ticks where run = r.id order by seq limit 1) end, "
    "coalesce(starts, '') "
    "from weft.runs r where ended_at is null and queue = $1 and id > $2 order by id limit $4::int8"};
constexpr PostgresStatement new_keys{
    "weft_set_keys", "update weft.runs r set flow_key = case when $4::int8 = 1 then g.key end "
                     "from unnest($2::text[], $3::text[], $6::text[]) g(id, key, starts) where r.id = g.id "
                     "and r.queue = $1 and coalesce(r.starts, '') = g.starts "
                     "and r.ended_at is null and r.flow_key is distinct from case when $4 = 1 then g.key end "
                     "and exists (select from weft.queues where name = $1 and ($4 = 0 or per = $5)) = ($4 = 1)"};

class SetLimitsCall final : public PostgresCallOf<bool> {
public:
    SetLimitsCall(QueueLimits limits, Store::Then<bool> then, const PostgresOptions& options)
        : PostgresCallOf(std::move(then)),
          limits_(std::move(limits)),
          options_(options),
          is_limited_(!limits_nothing(limits_)) {
        changes = confirms = true;  // another process may have removed them
        hint.emplace();             // runs that the former limits held back
    }
    void ask(PostgresConnection& connection) override {
        check_limits(limits_);
        if (ids_.empty()) {
            send_limits(connection);
            connection.send(store_size, PostgresValues());
        } else {
            connection.send(same_per, PostgresValues(limits_.queue, limits_.per, int(is_limited_)));
            connection.send(new_keys,
                            PostgresValues(limits_.queue, ids_, keys_, int(is_limited_), limits_.per, starts_));
        }
        connection.send(runs_of_queue, PostgresValues(limits_.queue, ids_.empty() ? std::string() : ids_.back(),
                                                      int(!limits_.per.empty()), runs_at_once));
    }
    bool take(std::span<PostgresRows> rows) override {
        if (ids_.empty()) check_size(rows[1], options_.databases);
        if (ids_.empty() && is_limited_ && rows[0].size() == 0) too_many_limits();
        if (!ids_.empty() && (rows[0].number(0, 0) > 0) != is_limited_) return true;  // there are later limits
        ids_.clear();
        keys_.clear();
        starts_.clear();
        const auto& page = rows.back();
        for (int i = 0; i < page.size(); ++i) {
            ids_.push_back(page.text(i, 0));
            keys_.push_back(key_of(page.text(i, 1), limits_));
            starts_.push_back(page.text(i, 2));
        }
        return ids_.empty();
    }

private:
    void send_limits(PostgresConnection& connection) const {
        if (is_limited_)
            connection.send(new_limits, PostgresValues(limits_.queue, limits_.running, limits_.per,
                                                       limits_.running_per_key, most_limited_queues, limits_.starts,
                                                       limits_.seconds, time_of(options_.now), options_.databases));
        else connection.send(no_limits, PostgresValues(limits_.queue, options_.databases));
    }
    QueueLimits limits_;
    const PostgresOptions& options_;
    bool is_limited_;
    std::vector<std::string> ids_, keys_, starts_;  // runs of the present page; a later start has other `starts`
};
}
}

namespace weft {
using namespace storage;
void PostgresStore::set_limits(QueueLimits limits, Then<bool> then) {
    thread_->query(std::make_unique<SetLimitsCall>(std::move(limits), std::move(then), thread_->options()));
}
}
