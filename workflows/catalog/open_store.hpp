// Opens a store by the name that a user gives: a file, or the address of a PostgreSQL database.
//
//     auto opened = open_store("weft.db", SqliteAccess::visitor);
//     if (!opened.has_engine()) use("nobody is at work on its runs");
#pragma once
#include "engine/store/sqlite_store.hpp"
#include <functional>
#include <string>

namespace weft::catalog {
struct OpenedStore {
    std::unique_ptr<Store> store;
    /// Whether an engine of another process is at work on it. A file: whether one was when this was opened. A database:
    /// now; each call reads all runs that have not ended.
    std::function<bool()> has_engine;
};
/// Throws Error{configuration} for a file that is no store, and what the store throws. An engine makes a file that is
/// not there yet. The clock is in microseconds since 1970; without one it is the store's own. The access counts for
/// files only: a database may have many engines at once.
OpenedStore open_store(const std::string& name, SqliteAccess, std::function<std::int64_t()> clock = {},
                       StoreNotes note = {});
/// Whether it is a file on this machine.
bool is_store_file(const std::string& name);
/// As it may be printed, and pasted into a shell in whatever folder: the absolute path of a file, or an address without
/// its password.
std::string shown_store(const std::string& name);
}
