// One guarded connection of a Database, for one thread at a time.
#pragma once
#include "tools/sql/database.hpp"
#include "tools/sql/guard.hpp"
#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;
namespace weft::tools {
struct CloseDatabase {
    void operator()(sqlite3*) const;
};
struct CloseStatement {
    void operator()(sqlite3_stmt*) const;
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

/// Both throw Error{configuration}.
SqliteHandle open_file(const std::string& path, SqlAccess = SqlAccess::read);
SqliteHandle open_image(const std::vector<unsigned char>& image);  // must outlive all handles, which share it
/// Creates a database by this SQL, and returns its bytes.
std::vector<unsigned char> make_image(std::string_view sql);

/// The reason why a reader cannot read a file after a killed writer.
constexpr auto change_left =
    "its -journal file has a change to take back, which no reader may do: read it once with sqlite3, which does";

class SqlConnection {
public:
    SqlConnection(SqliteHandle, const SqlLimits&, SqlAccess = SqlAccess::read);
    /// Throws Error{configuration} if the file is not a sound database. The check takes at most this time.
    void check(const std::string& path, std::chrono::milliseconds);
    /// Each throws ToolError for a model's mistake, and operation_aborted when stopped.
    std::string tables(std::stop_token);
    std::string describe(std::string_view table, std::stop_token);
    /// `shown`: adds the rows as a table.
    Observation query(std::string_view sql, std::stop_token, bool shown = true);
    /// For SqlAccess::write: runs all statements in one transaction. An exception means that nothing has changed.
    std::string change(std::string_view sql, std::stop_token);
    /// False if a rollback failed, so that the connection must be closed, or if the connection would
    /// see no later change of its file.
    bool is_usable() const;

private:
    class StatementLimits;  // tools/sql/statement_limits.hpp
    class Transaction;      // a transaction
    struct Relation {
        std::string name;
        bool is_view = false;
        std::string module;  // module of a virtual table
        bool is_virtual = false;
    };
    std::vector<Relation> relations(StatementLimits&);     // the whole schema, by name
    std::vector<Relation> learn_tables(StatementLimits&);  // for the guard; includes unreadable views
    std::vector<Relation> readable(StatementLimits&);      // the relations in lists
    bool loads(const Relation&);
    std::string why_unreadable(const Relation&, StatementLimits&);
    static std::string listed(const std::vector<Relation>&);
    void ask_about(const std::string& table, std::string_view sql, StatementLimits&,
                   const std::function<void(sqlite3_stmt*)>&);
    std::string columns(const std::string& table, StatementLimits&);
    std::string column_names(const std::string& table, StatementLimits&);
    std::string columns_there(std::string_view sql, StatementLimits&);
    std::string change_by(std::string_view statement, sqlite3_stmt*, StatementLimits&);
    void do_own(const std::string& sql, StatementLimits&);
    void bound_growth(StatementLimits&);
    void take_quoted_texts(bool);
    /// A parameter never gets a value: SQLite would use NULL.
    static void refuse_parameters(sqlite3_stmt*);
    Statement prepare(std::string_view sql, std::string_view* rest);
    bool step(sqlite3_stmt*, StatementLimits&);  // returns whether there is a row
    /// Throws SQLite's error, with the facts that help to correct this SQL.
    [[noreturn]] void fail(StatementLimits&, std::string_view sql = {});
    Observation read_rows(sqlite3_stmt*, StatementLimits&, bool shown);
    SqlLimits limits_;
    SqlGuard guard_;
    SqliteHandle db_;  // after the guard, which it uses until it is closed
};
}
