// The tables of a store's file, by numbered migrations: the text at place n takes a file from version n to n + 1. What
// has been released is never changed; a change is one more text.
#pragma once
#include "engine/store/sqlite/connection.hpp"
#include <vector>

namespace weft::storage {
inline constexpr int sqlite_application_id = 0x77656674;  // "weft"
const std::vector<const char*>& sqlite_migrations();

/// Error{configuration} if the file is of another program, or of a newer weft; if it is not to be written, also if it
/// is empty. Who only reads and sends takes an older one as it is. Changes nothing.
void check_version(SqliteConnection&, const std::string& file, int newest, bool may_write);
/// Makes the file what the newest version says: an empty one gets all tables; an older one is copied to `file.before-N`
/// and migrated in one transaction.
void migrate(SqliteConnection&, const std::string& file, const std::vector<const char*>& migrations);
}
