// A store, by what a user calls it.
//
//     auto opened = open_store("weft.db", SqliteAccess::visitor);
//     if (!opened.has_engine) use("nobody is at work on its runs");
#pragma once
#include "engine/store/sqlite_store.hpp"
#include <string>

namespace weft::catalog {
struct OpenedStore {
    std::unique_ptr<Store> store;
    bool has_engine = false;  // of another process, which was at work when this was asked
};
/// Throws Error{configuration} for a file that is none, and what the store throws. An engine makes a file that is not
/// there yet. The clock is in microseconds since 1970.
OpenedStore open_store(const std::string& name, SqliteAccess,
                       std::function<std::int64_t()> clock = core::wall_microseconds);
}
