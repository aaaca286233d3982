// The file of a store beside SQLite: its owner, its place, and a check for lost data.
//
// The engine that owns `weft.db` holds `weft.db-lock` by flock: the system releases it when the process ends in any
// way. The lock file contains the process id and the number of the last acknowledged tick. By this number the store
// detects that it has lost its latest data, for example because its -wal file was removed.
#pragma once
#include "engine/store/sqlite/connection.hpp"

namespace weft::storage {
class SqliteFile {
public:
    /// Throws Error{usage} if another engine owns the file, Error{configuration} if there can be no store.
    SqliteFile(const std::string& path, bool is_owner);
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;
    ~SqliteFile();

    const std::string& name() const { return name_; }  // as the user wrote it, for messages
    const std::string& path() const { return path_; }
    SqliteConnection connect(int busy_ms) const;
    /// Sets the log mode; call it only on a file that is known to be a store.
    void keep_log(SqliteConnection&, bool is_fast) const;
    /// The owner calls this after each commit. The write goes to the page cache, and need not survive a power failure.
    void mark(std::int64_t last_number);
    /// Removes the files that were created for a store that is refused.
    void leave_nothing();
    /// Throws Error{journal} if `last_number` is less than the number of the last acknowledged tick.
    void check_mark(std::int64_t last_number) const;

private:
    void lock();
    void refuse_folder() const;

    std::string name_, path_;
    int lock_ = -1;
    bool made_lock_ = false, made_file_ = false;
};
/// The message of an Error{journal} about a store in use.
std::string sqlite_sentence(const std::string& file, const SqliteError&, const std::string& run);
/// Throws the error of a store that cannot be opened.
[[noreturn]] void refuse_store(const std::string& file, const SqliteError&);
}
