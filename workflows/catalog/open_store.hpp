// A store, by what a user calls it: a file, or an address of PostgreSQL.
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
    /// Whether an engine of another process is at work. Of a file: was, when this was opened. Of a database it is asked
    /// now, which reads all runs that have not ended.
    std::function<bool()> has_engine;
};
/// Throws Error{configuration} for a file that is none, and what the store throws. An engine makes a file that is not
/// there yet. The clock is in microseconds since 1970; without one it is the store's own. A database has any number of
/// engines at once, and they need not be told from visitors.
OpenedStore open_store(const std::string& name, SqliteAccess, std::function<std::int64_t()> clock = {});
/// Whether it is a file on this machine.
bool is_store_file(const std::string& name);
/// As it may be printed, and pasted into a shell in whatever folder: the absolute path of a file, or an address without
/// its password.
std::string shown_store(const std::string& name);
}
