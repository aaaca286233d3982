// A SQLite file that may be read where nothing may be written: on a read-only mount, or in the folder of somebody else.
//
//     if (auto why = needs_writing(path); !why.empty()) refuse(why);
//     sqlite3_open_v2(unchanging_uri(path).c_str(), &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
//
// SQLite keeps files beside one that has a write-ahead log, even to read it. If the file was closed cleanly it needs
// none of them, once it is told that nobody writes. Such a connection sees no later change: it is for one look.
#pragma once
#include <string>

namespace weft::storage {
/// The work that SQLite has to do on this file before anybody reads it; empty if it was closed cleanly.
std::string needs_writing(const std::string& path);
std::string unchanging_uri(const std::string& absolute_path);
}
