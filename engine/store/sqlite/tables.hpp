// What the calls of a store do to the tables, within a transaction of the caller's. An Error is of one call, and thrown
// before it has changed anything; a SqliteError is of the transaction.
//
// Every row has a sum, so that a bit that has changed on the disk is an error that names the run, and no other answer.
#pragma once
#include "engine/store/rules.hpp"
#include "engine/store/sqlite/logs.hpp"
#include "engine/store/sqlite/survey.hpp"
#include <unordered_map>

namespace weft::storage {
class SqliteTables {
public:
    SqliteTables(SqliteConnection& connection, std::string file, std::function<std::int64_t()> now);

    storage::Created create(const storage::NewRun&);
    storage::Appended append(const storage::Batch&);
    storage::History load(const std::string& run, std::uint64_t from);
    storage::Logged write_log(const storage::LogEntries&);
    storage::LogPart read_log(const std::string& run, std::uint64_t from, std::size_t most, std::size_t bytes);
    storage::StoredPlan plan(const std::string& hash);
    storage::Sent send(const storage::Mail&);
    std::vector<storage::RunRow> claim(const storage::Claim&, const Leases&);
    storage::Pulse beat(const storage::Worker&, Leases&);
    std::vector<storage::RunRow> list(const storage::Filter&);
    storage::Survey survey();
    std::uint64_t prune(const storage::Filter&);

    void release_all();                // runs of a dead process
    std::int64_t last_number() const;  // of a tick or of an entry of a log, ever
    void begin();                      // in a transaction, before all else
    void renumber();                   // after a transaction that was rolled back
    std::int64_t ticket();             // grows by each transaction that draws one
    std::int64_t draw_ticket();

private:
    struct Row : storage::RunRow {
        std::optional<std::int64_t> last_tick;  // its number
        bool is_damaged = false;
    };
    static std::int64_t sum_of(const Row&);
    static Row read(const SqliteQuery&);
    static Row sound(Row);
    std::optional<Row> find(const std::string& run);  // DamagedError if it is damaged
    /// The row of a run that goes on, from memory if nobody else has written since. Null: there is none.
    Row* find_running(const std::string& run);
    /// Those of the ids, or if there are none what the query gives, up to so many that are wanted.
    std::vector<Row> find_all(const std::vector<std::string>& ids, const char* sql, std::size_t most,
                              const std::function<bool(const Row&)>& is_wanted);
    void insert(const Row&);
    void progress(const Row&);  // what an append changes of a run that stays its owner's
    void change(const Row&);
    void add_ticks(Row&, const std::vector<storage::StoredTick>&, std::size_t from);
    void remove_ticks(const Row&);
    std::int64_t newest_number();  // that is there
    void keep(const storage::StoredPlan&);
    void make_ready(Row&, bool is_taken_over);
    std::vector<storage::StoredTick> ticks(const Row&, std::uint64_t from);

    SqliteConnection& db_;
    std::string file_;
    SqliteLogs logs_;
    SqliteSurvey survey_;
    std::function<std::int64_t()> now_;
    std::int64_t last_ = 0;
    std::int64_t version_ = -1;                  // of what others have written, when the rows were read
    std::unordered_map<std::string, Row> rows_;  // of runs that go on
};
}
