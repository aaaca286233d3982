// Surveys of a SQLite file for commands in other processes: counts of runs by kind, and the workers' descriptions of
// themselves. Memory holds the leases (engine/store/rules.hpp), because one engine owns the file.
#pragma once
#include "engine/store.hpp"
#include "engine/store/sqlite/connection.hpp"

namespace weft::storage {
/// Call it after a heartbeat. Stores no worker with an empty description.
void keep_worker(SqliteConnection&, const Heartbeat&, std::int64_t now, bool is_alive);
Survey survey_of(SqliteConnection&, std::int64_t now);
}
