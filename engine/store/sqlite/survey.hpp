// Surveys of a SQLite file for commands in other processes: counts of runs by kind, and the workers' descriptions of
// themselves. Memory holds the leases (engine/store/rules.hpp), because one engine owns the file.
#pragma once
#include "engine/store.hpp"
#include "engine/store/sqlite/connection.hpp"

namespace weft::storage {
class SqliteSurvey {
public:
    explicit SqliteSurvey(SqliteConnection& connection) : db_(connection) {}
    /// Call it after a heartbeat. Stores no worker with an empty description.
    void keep(const storage::Heartbeat&, std::int64_t now, bool is_alive);
    storage::Survey take(std::int64_t now);
    void forget_workers();  // called when a new engine opens the file

private:
    std::vector<storage::RunCount> counts();
    std::vector<storage::WorkerRow> workers(std::int64_t now);
    SqliteConnection& db_;
};
}
