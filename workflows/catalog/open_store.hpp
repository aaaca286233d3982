// Opens a store by the name that a user gives: a file; the address of a PostgreSQL database, or several with spaces
// between them; or @FILE, for a file with an address in each line. Several addresses are one store.
//
//     auto opened = open_store("weft.db", SqliteAccess::visitor);
//     if (!opened.has_engine("r1")) use("no engine executes the run r1");
#pragma once
#include "engine/store/sqlite_store.hpp"
#include <functional>
#include <string>
#include <vector>

namespace weft::catalog {
struct OpenedStore {
    std::unique_ptr<Store> store;
    /// True if an engine of another process uses the store: a file at the time of opening, a database now. For a
    /// database each call reads all runs that have not ended. With the id of a run only its database, so that another
    /// one may be away; an empty id means all databases.
    std::function<bool(const std::string& run)> has_engine;
};
/// Throws Error{configuration} for a file that is not a store, and the store's errors. An engine creates a missing
/// file. The clock is in microseconds since 1970; the default is the store's own. The access matters only for files:
/// a database may have many engines at once.
OpenedStore open_store(const std::string& name, SqliteAccess, std::function<std::int64_t()> clock = {},
                       StoreNotes note = {});
/// True if an engine has the store in this file, now.
bool engine_holds(const std::string& file);
/// True if the name is a file on this machine which is the store.
bool is_store_file(const std::string& name);
/// The databases of a store that is no file. Throws Error{configuration} for a file of addresses that cannot be read.
std::vector<std::string> addresses_of_store(const std::string& name);
/// The name for output and for shells in any folder: the absolute path of a file, or an address without its password.
std::string shown_store(const std::string& name);
}
