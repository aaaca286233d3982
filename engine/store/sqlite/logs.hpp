// The logs of runs in their tables; the caller has a transaction. A file of a former version that only visitors have
// opened since has no such tables, and so no logs.
//
//     SqliteLogs logs(connection);
//     logs.forget();                                  // another process may have written since
//     auto logged = logs.write(row, entries, last);   // `last`: the number of the row that was added last
//
// An Error is thrown before any change; a SqliteError ends the transaction. Use it on one thread.
#pragma once
#include "engine/store/rules.hpp"
#include "engine/store/sqlite/connection.hpp"
#include <unordered_map>

namespace weft::storage {
class SqliteLogs {
public:
    explicit SqliteLogs(SqliteConnection& connection) : db_(connection) {}

    storage::LogReply write(const storage::RunRow&, const storage::LogEntries&, std::int64_t& last);
    storage::LogPart read(const std::string& run, std::uint64_t from, std::size_t most, std::size_t bytes);
    void remove(const std::string& run);
    std::int64_t last_number();  // number of a stored entry; not of a pruned one
    void forget();

private:
    struct LogTail {
        std::uint64_t next = 0;
        std::optional<std::int64_t> last;  // the number of the row of its last entry
        bool is_damaged = false;
    };
    LogTail find(const std::string& run);
    static LogTail sound(const std::string& run, LogTail);
    void keep(const std::string& run, const LogTail&, bool is_new);
    std::vector<std::int64_t> places(const std::string& run, const LogTail&, std::uint64_t from, std::uint64_t last);
    std::int64_t place(const std::string& run, const LogTail&, std::uint64_t entry);

    SqliteConnection& db_;
    bool has_tables_ = true;
    std::unordered_map<std::string, LogTail> logs_;  // the logs that were written to
};
}
