// The tables of a store's file, by numbered migrations: text n takes a file from version n to n + 1. Never change a
// released text; add another one.
#pragma once
#include "engine/store/rules.hpp"
#include "engine/store/sqlite/connection.hpp"
#include <vector>

namespace weft::storage {
inline constexpr int sqlite_application_id = 0x77656674;  // "weft"
std::vector<const char*> sqlite_migrations();

/// Throws Error{configuration} if the file belongs to another program or a newer weft; without `may_write` also if it
/// is empty. A visitor reads an older version as it is. Changes nothing.
void check_version(SqliteConnection&, const std::string& file, int newest, bool may_write);
/// Brings the file to the newest version: creates all tables in an empty file; copies an older file to `file.before-N`,
/// and migrates it in one transaction.
void migrate(SqliteConnection&, const std::string& file, const std::vector<const char*>& migrations);
}
