// Surveys of a SQLite file: how many runs there are of each kind, and what workers say about themselves, for commands
// of other processes. Leases themselves are kept in memory (engine/store/rules.hpp), as one engine has the file.
#pragma once
#include "engine/store.hpp"
#include "engine/store/sqlite/connection.hpp"

namespace weft::storage {
class SqliteSurvey {
public:
    explicit SqliteSurvey(SqliteConnection& connection) : db_(connection) {}
    /// After a beat. A worker that says nothing is not kept.
    void keep(const storage::Worker&, std::int64_t now, bool is_alive);
    storage::Survey take(std::int64_t now);
    void forget_workers();  // when a new engine opens the file

private:
    std::vector<storage::RunCount> counts();
    std::vector<storage::WorkerRow> workers(std::int64_t now);
    SqliteConnection& db_;
};
}
