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

    Created create(const NewRun&);
    Appended append(const Batch&);
    History load(const std::string& run, std::uint64_t from);
    StoredPlan plan(const std::string& hash);
    Sent send(const Mail&);
    std::vector<RunRow> claim(const Claim&, const Leases&);
    Pulse beat(const Worker&, Leases&);
    std::vector<RunRow> list(const Filter&);
    std::uint64_t prune(const Filter&);

    void release_all();                // runs of a dead process
    std::int64_t last_number() const;  // of a tick, ever
    void renumber();                   // after a transaction that was rolled back
    std::int64_t ticket();             // grows by each transaction that draws one
    std::int64_t draw_ticket();

private:
    struct Found {
        RunRow row;
        bool is_damaged = false;
    };
    static Found read(const SqliteQuery&);
    std::optional<RunRow> find(const std::string& run);  // Error{journal} if it is damaged
    std::vector<Found> all(const std::vector<std::string>& ids, const char* sql);
    void insert(const RunRow&);
    void progress(const RunRow&);  // what an append changes of a run that stays its owner's
    void change(const RunRow&);
    void add_ticks(const std::string& run, const std::vector<StoredTick>&, std::size_t from);
    void keep(const StoredPlan&);
    void make_ready(RunRow&, bool is_taken_over);
    std::vector<StoredTick> ticks(const std::string& run, std::uint64_t from);

    SqliteConnection& db_;
    std::string file_;
    std::function<std::int64_t()> now_;
    std::int64_t last_ = 0;
};
}
