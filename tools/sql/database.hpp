// A SQLite database that agents may ask and, unless it is opened for that, can never change.
//
//     Pool pool;
//     Database database(pool, "sales.db");                 // or Database(pool): the sample of orders, in the binary
//     auto rows = co_await database.query("SELECT COUNT(*) FROM ORDERS");      // "[(34,)]"
//
// query() reads only, by every means there is: opened read-only, defensive, no extensions, an authorizer that refuses
// all but SELECT on the tables that exist and a list of functions that cannot run away, one statement at a time. What a
// query may use is bounded: time (a progress handler looks at the clock and at the run's cancellation), memory, rows,
// bytes; what is left out is marked "truncated". Limit that remains: one long call inside SQLite is not interrupted.
//
// change(), of a database that is opened with SqlAccess::write, runs up to 20 statements as one transaction, on a
// connection of its own: INSERT, UPDATE, DELETE, SELECT, CREATE and DROP of tables, views and indexes; with foreign
// keys and the triggers that there are. Bounds, functions and refusals are those of query(); the file grows by 64 MB at
// most. If anything is wrong, nothing has changed. Whether a change is allowed is for the caller: tools/permission.hpp.
//
// What a model got wrong is a ToolError in one sentence. A file that is missing, damaged or no database is
// Error{configuration}, thrown by the constructor, which reads the file; all later work is done on the pool. One object
// serves all runs on all threads at once, each query on a connection of its own. Pool and database outlive their calls.
#pragma once
#include "engine/awaitable.hpp"
#include "tools/observation.hpp"
#include "tools/sql/guard.hpp"
#include <chrono>
#include <memory>
#include <string>

namespace weft {
class Pool;
}
namespace weft::tools {
struct SqlLimits {
    std::chrono::milliseconds deadline{5000};
    std::size_t rows = 200;
    std::size_t bytes = 16u << 10;
    std::size_t memory = 64u << 20;  // that SQLite may take beyond what it had when the query began
};

class Database {
public:
    explicit Database(Pool&, SqlLimits limits = {});
    Database(Pool&, const std::string& path, SqlLimits limits = {}, SqlAccess = SqlAccess::read);
    ~Database();

    awaitable<std::string> tables();  // "['AGENTS', 'CUSTOMER', 'ORDERS']", views too
    awaitable<std::string> describe(
        std::string table);  // "COLUMN TYPE [NOT NULL] [PRIMARY KEY] [REFERENCES ...]" lines, then keys of more columns
    awaitable<std::string> query(std::string sql);    // "[(5500,), (17200,)]", values as Python writes them
    awaitable<Observation> observe(std::string sql);  // the same text, and a table for the human
    bool writable() const;
    awaitable<std::string> change(std::string sql);  // "2 rows were changed", a line for each statement

private:
    struct Shared;
    Pool& pool_;
    std::unique_ptr<Shared> shared_;
};
}
