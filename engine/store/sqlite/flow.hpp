// The limits of queues in a file, and the keys of its runs. A run has a key as long as it is in a limited queue. The
// caller has a transaction.
#pragma once
#include "engine/store/flow.hpp"
#include "engine/store/sqlite/connection.hpp"
#include <functional>

namespace weft::storage {
class SqliteFlow {
public:
    explicit SqliteFlow(SqliteConnection& connection) : db_(connection) {}
    void forget() {
        limits_.reset(), has_key_texts_.reset();
    }  // another connection has written, or a transaction was rolled back
    const std::map<std::string, LimitedQueue>& limits();  // by queue; from memory
    bool has_key_texts();                                 // the tables are not of an older weft
    /// Stores the key of a new run by key_texts_of(), if its queue has limits.
    void add_key(const std::string& run, const std::string& queue, std::string_view key_texts);
    /// `tick_of` returns the first tick of a run that an older weft created: reading it costs as many rows as the run
    /// has ticks. Throws Error{usage} also for tables of an older weft.
    void set(const QueueLimits&, std::int64_t now, const std::function<std::string(const std::string& run)>& tick_of);
    FlowState state_of(const LimitedQueue&, std::int64_t now);
    /// Stores the rest of a queue's tokens, of which a claim has taken some.
    void take_tokens(const QueueLimits&, double taken, std::int64_t now);
    std::vector<std::string> ready_keys(const std::string& queue);
    std::vector<QueueFlow> survey(std::int64_t now);

private:
    std::map<std::string, std::uint64_t> counts(const char* sql, const std::string& queue);
    bool has_tables();
    SqliteConnection& db_;
    void keep(const QueueLimits&, StartTokens);
    void put_key(const std::string& run, const std::string& key);
    std::optional<std::map<std::string, LimitedQueue>> limits_;
    std::optional<bool> has_key_texts_;
};
}
