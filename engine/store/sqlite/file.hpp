// The file of a store, around SQLite: who owns it, where it may lie, and whether all of it is still there.
//
// Beside `weft.db` lies `weft.db-lock`, which the engine that owns the store holds by flock: the system lets go of it
// when the process ends, however it ends. It says the process, and the number of the last tick that was acknowledged:
// so a store that has lost its end, because its -wal file was removed, is told from one that never had it.
#pragma once
#include "engine/store/sqlite/connection.hpp"

namespace weft::storage {
class SqliteFile {
public:
    /// Error{usage} if another engine owns it, Error{configuration} if there cannot be a store.
    SqliteFile(const std::string& path, bool is_owner);
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;
    ~SqliteFile();

    const std::string& name() const { return name_; }  // as the user calls it, to be shown
    const std::string& path() const { return path_; }
    SqliteConnection connect(int busy_ms) const;
    /// What must not be done to a file of another program.
    void keep_log(SqliteConnection&, bool is_fast) const;
    /// Of the owner, after each commit. A write to the page cache: it need not survive a power failure.
    void mark(std::int64_t last_number);
    /// The store is refused: what was made for it is taken away.
    void leave_nothing();
    /// Error{journal} if this is not the last tick that was acknowledged.
    void check_mark(std::int64_t last_number) const;

private:
    void lock();
    void refuse_folder() const;

    std::string name_, path_;
    int lock_ = -1;
    bool made_lock_ = false, made_file_ = false;
};
/// A sentence for an Error{journal} about a store in use.
std::string sqlite_sentence(const std::string& file, const SqliteError&, const std::string& run);
/// The same when it is opened. Throws.
[[noreturn]] void refuse_store(const std::string& file, const SqliteError&);
}
