// Reads a SQLite file where nothing can be written: on a read-only mount, or in another user's folder.
//
//     if (auto why = needs_writing(path); !why.empty()) refuse(why);
//     sqlite3_open_v2(unchanging_uri(path).c_str(), &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
//
// SQLite keeps files beside a file that has a write-ahead log, even to read it. A cleanly closed file needs none of
// them if SQLite knows that no process writes. Such a connection sees no later change.
#pragma once
#include <string>

namespace weft::storage {
/// Names the work that SQLite must do on this file before it can be read; empty if the file was closed cleanly.
std::string needs_writing(const std::string& path);
std::string unchanging_uri(const std::string& absolute_path);
}
