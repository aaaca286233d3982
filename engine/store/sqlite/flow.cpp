// A visitor may see older tables, which have no limits.
#include "engine/store/sqlite/flow.hpp"
#include "engine/error.hpp"

namespace weft::storage {
namespace {
std::optional<std::uint32_t> maybe_count(std::optional<std::int64_t> number) {
    return number ? std::optional(std::uint32_t(*number)) : std::nullopt;
}
std::optional<std::int64_t> number_of(std::optional<std::uint32_t> count) { return count; }
}
bool SqliteFlow::has_tables() { return db_.number("select count(*) from sqlite_schema where name = 'queues'") > 0; }
const std::map<std::string, LimitedQueue>& SqliteFlow::limits() {
    if (limits_) return *limits_;
    limits_.emplace();
    if (!has_tables()) return *limits_;
    auto query = db_.query("select name, running, per, running_per_key, starts, seconds, tokens, filled_at from "
                           "queues");
    while (query.step()) {
        QueueLimits limits{
            .queue = query.text(0), .running = maybe_count(query.maybe_integer(1)), .per = query.text(2)};
        limits.running_per_key = maybe_count(query.maybe_integer(3));
        limits.starts = maybe_count(query.maybe_integer(4));
        limits.seconds = std::uint32_t(query.integer(5));
        const auto name = limits.queue;
        limits_->emplace(name, LimitedQueue{std::move(limits), {query.real(6), query.integer(7)}});
    }
    return *limits_;
}
bool SqliteFlow::has_key_texts() {
    if (!has_key_texts_)
        has_key_texts_ = db_.number("select count(*) from pragma_table_info('runs') where name = 'key_texts'") > 0;
    return *has_key_texts_;
}
void SqliteFlow::put_key(const std::string& run, const std::string& key) {
    db_.run("update runs set flow_key = ?2 where id = ?1", run, key);
}
void SqliteFlow::add_key(const std::string& run, const std::string& queue, std::string_view key_texts) {
    if (const auto own = limits().find(queue); own != limits().end())
        put_key(run, key_in(key_texts, own->second.limits));
}
#define WEFT_RUNS_OF_QUEUE(TEXTS)                                                                                      \
    "select id, " TEXTS " from runs where queue = ?1 and status in ('ready', 'running', 'waiting')"
void SqliteFlow::set(const QueueLimits& limits, std::int64_t now,
                     const std::function<std::string(const std::string&)>& tick_of) {
    check_limits(limits);
    if (!has_tables())
        throw Error(Code::usage, "the store has tables of an older weft, which knows no limits: let a newer weft open "
                                 "it while no other process uses it");
    const bool is_limited = !limits_nothing(limits);
    const auto& known = this->limits();
    if (is_limited && !known.contains(limits.queue) && known.size() >= most_limited_queues) too_many_limits();
    const auto former = known.find(limits.queue);
    const bool had_starts = former != known.end() && former->second.limits.starts;
    if (is_limited) keep(limits, had_starts ? former->second.tokens : full_tokens(limits, now));
    else db_.run("delete from queues where name = ?1", limits.queue);
    forget();
    if (!is_limited) {
        db_.run("update runs set flow_key = null where queue = ?1 and status in ('ready', 'running', 'waiting')",
                limits.queue);
        return;
    }
    std::vector<std::pair<std::string, std::optional<std::string>>> runs;
    {
        auto query = db_.query(has_key_texts() ? WEFT_RUNS_OF_QUEUE("key_texts") : WEFT_RUNS_OF_QUEUE("null"),
                               limits.queue);
        while (query.step()) runs.emplace_back(query.text(0), query.maybe_text(1));
    }
    for (auto& [run, texts] : runs)
        if (texts || limits.per.empty()) put_key(run, key_in(texts.value_or(""), limits));
        else put_key(run, key_of(tick_of(run), limits));
}
#undef WEFT_RUNS_OF_QUEUE
std::map<std::string, std::uint64_t> SqliteFlow::counts(const char* sql, const std::string& queue) {
    std::map<std::string, std::uint64_t> found;
    auto query = db_.query(sql, queue);
    while (query.step()) found[query.text(0)] = std::uint64_t(query.integer(1));
    return found;
}
void SqliteFlow::keep(const QueueLimits& limits, StartTokens tokens) {
    db_.run("insert or replace into queues (name, running, per, running_per_key, starts, seconds, tokens, filled_at) "
            "values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            limits.queue, number_of(limits.running), limits.per, number_of(limits.running_per_key),
            number_of(limits.starts), std::int64_t(limits.seconds), tokens.count, tokens.filled_at);
}
void SqliteFlow::take_tokens(const QueueLimits& limits, double taken, std::int64_t now) {
    auto& own = limits_->at(limits.queue);
    own.tokens = tokens_at(limits, own.tokens, now);
    own.tokens.count -= taken;
    keep(limits, own.tokens);
}
FlowState SqliteFlow::state_of(const LimitedQueue& queue, std::int64_t now) {
    const auto& limits = queue.limits;
    FlowState state{.limits = limits, .tokens = tokens_at(limits, queue.tokens, now).count};
    state.running_by_key = counts("select flow_key, count(*) from runs where status = 'running' and queue = ?1 and "
                                  "flow_key is not null group by flow_key",
                                  limits.queue);
    for (auto& [key, runs] : state.running_by_key) state.running += runs;
    return state;
}
std::vector<std::string> SqliteFlow::ready_keys(const std::string& queue) {
    std::vector<std::string> keys;
    const auto first = [&](const char* sql, std::string_view after) {
        auto query = db_.query(sql, queue, after);
        if (query.step()) keys.push_back(query.text(0));
    };
#define WEFT_NEXT_KEY "select flow_key from runs where status = 'ready' and queue = ?1 and flow_key "
    first(WEFT_NEXT_KEY ">= ?2 order by flow_key limit 1", "");
    for (std::size_t at = 0; at < keys.size(); ++at)
        first(WEFT_NEXT_KEY "> ?2 order by flow_key limit 1", std::string(keys[at]));
#undef WEFT_NEXT_KEY
    return keys;
}
std::vector<QueueFlow> SqliteFlow::survey(std::int64_t now) {
    std::vector<QueueFlow> flows;
    for (auto& [queue, own] : limits()) {
        const auto ready = counts("select flow_key, count(*) from runs where status = 'ready' and queue = ?1 and "
                                  "flow_key is not null group by flow_key",
                                  queue);
        const auto starts = counts("select '', count(*) from runs where status = 'ready' and queue = ?1 and "
                                   "flow_key is not null and epoch = 0",
                                   queue);
        flows.push_back(flow_of(state_of(own, now), ready, starts.at("")));
    }
    return flows;
}
}
