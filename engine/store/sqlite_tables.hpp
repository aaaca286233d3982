// What the calls of a store do to the tables, within a transaction of the caller's. An Error is of one call, and thrown
// before it has changed anything; a SqliteError is of the transaction.
//
// Every row has a sum, so that a bit that has changed on the disk is an error that names the run, and no other answer.
#pragma once
#include "engine/store/rules.hpp"
#include "engine/store/sqlite_connection.hpp"

namespace weft::core {
class SqliteTables {
public:
    SqliteTables(SqliteConnection& connection, std::string file, std::function<std::int64_t()> now);

    storage::Created create(const storage::NewRun&);
    storage::Appended append(const storage::Batch&);
    storage::History load(const std::string& run, std::uint64_t from);
    storage::StoredPlan plan(const std::string& hash);
    storage::Sent send(const storage::Mail&);
    std::vector<storage::RunRow> claim(const storage::Claim&, const Leases&);
    storage::Pulse beat(const storage::Worker&, Leases&);
    std::vector<storage::RunRow> list(const storage::Filter&);
    std::uint64_t prune(const storage::Filter&);

    void release_all();                // runs of a dead process
    std::int64_t last_number() const;  // of a tick, ever
    void renumber();                   // after a transaction that was rolled back
    std::int64_t ticket();             // grows by each transaction that draws one
    std::int64_t draw_ticket();

private:
    struct Found {
        storage::RunRow row;
        bool is_damaged = false;
    };
    static Found read(const SqliteQuery&);
    std::optional<storage::RunRow> find(const std::string& run);  // Error{journal} if it is damaged
    std::vector<Found> all(const std::vector<std::string>& ids, const char* sql);
    void insert(const storage::RunRow&);
    void progress(const storage::RunRow&);  // what an append changes of a run that stays its owner's
    void change(const storage::RunRow&);
    void add_ticks(const std::string& run, const std::vector<storage::StoredTick>&, std::size_t from);
    void keep(const storage::StoredPlan&);
    void make_ready(storage::RunRow&, bool is_taken_over);
    std::vector<storage::StoredTick> ticks(const std::string& run, std::uint64_t from);

    SqliteConnection& db_;
    std::string file_;
    std::function<std::int64_t()> now_;
    std::int64_t last_ = 0;
};
}
