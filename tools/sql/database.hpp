// A SQLite database for agents, which can query it but never change it, unless it is opened for writing.
//
//     Pool pool;
//     Database database(pool, "sales.db");                 // Database(pool): the sample of orders in the binary
//     auto rows = co_await database.query("SELECT COUNT(*) FROM ORDERS");      // "[(34,)]"
//
// query() only reads, and enforces this by all means: opened read-only, defensive, no extensions, an authorizer that
// allows only SELECT on existing tables and functions with bounded time, one statement at a time. A query is limited in
// time (a progress handler checks the clock and the run's cancellation), memory, rows and bytes; omitted rows are
// marked "truncated". One limitation remains: a long call inside SQLite is not interrupted.
//
// change() needs SqlAccess::write. It runs up to 20 statements as one transaction on a separate connection: INSERT,
// UPDATE, DELETE, SELECT, CREATE and DROP of tables, views and indexes; foreign keys and existing triggers apply.
// Limits, functions and refusals are those of query(); the file grows by at most 64 MB. An error undoes all changes.
// The caller decides whether a change is allowed: tools/permission.hpp.
//
// A model's mistake is a ToolError in one sentence. The constructor reads the file, and throws Error{configuration} if
// it is missing, damaged or no database; all later work runs on the pool. One object serves all runs on all threads at
// once, each query on a separate connection. Pool and database must outlive their calls.
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
/// Limits of each query and each change.
struct SqlLimits {
    std::chrono::milliseconds deadline{5000};  // maximum time, but for a long call inside SQLite
    std::size_t rows = 200;
    std::size_t bytes = 16u << 10;
    std::size_t memory = 64u << 20;  // SQLite's memory beyond that at the start of the query
};

class Database {
public:
    explicit Database(Pool&, SqlLimits limits = {});
    Database(Pool&, const std::string& path, SqlLimits limits = {}, SqlAccess = SqlAccess::read);
    ~Database();

    awaitable<std::string> tables();  // tables and views
    awaitable<std::string> describe(
        std::string table);  // "COLUMN TYPE [NOT NULL] [PRIMARY KEY] [REFERENCES ...]" lines, then keys of more columns
    awaitable<std::string> query(std::string sql);    // "[(5500,), (17200,)]", values as Python writes them
    awaitable<Observation> observe(std::string sql);  // the same text, with a table for the human
    bool writable() const;                            // opened for writing; else change() throws Error{usage}
    awaitable<std::string> change(std::string sql);   // a line for each statement: "2 rows were changed"

private:
    struct State;
    std::unique_ptr<State> shared_;
};
}
