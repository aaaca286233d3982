// The logs of runs in their tables, within a transaction of the caller's. A file that a former version has made, and
// that only visitors have opened since, has no such tables, and so no logs.
//
//     SqliteLogs logs(connection);
//     logs.forget();                                  // another process may have written since
//     auto logged = logs.write(row, entries, last);   // `last`: the number of the row that was added last
//
// An Error is thrown before anything has changed; a SqliteError is of the transaction. Of one thread.
#pragma once
#include "engine/store/rules.hpp"
#include "engine/store/sqlite/connection.hpp"
#include <unordered_map>

namespace weft::storage {
class SqliteLogs {
public:
    explicit SqliteLogs(SqliteConnection& connection) : db_(connection) {}

    storage::Logged write(const storage::RunRow&, const storage::LogEntries&, std::int64_t& last);
    storage::LogPart read(const std::string& run, std::uint64_t from, std::size_t most, std::size_t bytes);
    void remove(const std::string& run);
    std::int64_t last_number();  // of an entry that is there
    void forget();

private:
    struct Log {
        std::uint64_t next = 0;
        std::optional<std::int64_t> last;  // the number of its last entry's row
        bool is_damaged = false;
    };
    Log find(const std::string& run);
    static Log sound(const std::string& run, Log);
    void keep(const std::string& run, const Log&, bool is_new);
    std::vector<std::int64_t> places(const std::string& run, const Log&, std::uint64_t from, std::uint64_t last);
    std::int64_t place(const std::string& run, const Log&, std::uint64_t entry);

    SqliteConnection& db_;
    bool has_tables_ = true;
    std::unordered_map<std::string, Log> logs_;  // that were written to
};
}
