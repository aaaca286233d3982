// One transaction contains all statements of a call; a deadline, a cancellation or an error rolls it back. SQLite
// itself limits the growth of the file.
#include "engine/text/text.hpp"
#include "tools/sql/change.hpp"
#include "tools/sql/connection.hpp"
#include "tools/sql/statement_limits.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <sqlite3.h>

namespace weft::tools {
namespace {
constexpr int most_statements = 20;
constexpr std::int64_t most_growth = 64 << 20;  // bytes: growth of the file by one call

std::string rows_changed(std::int64_t rows) {
    return std::to_string(rows) + (rows == 1 ? " row was changed" : " rows were changed");
}
}

// A transaction: the constructor begins it, the destructor rolls it back unless it was committed. If the rollback
// fails, the connection is unusable.
class SqlConnection::Transaction {
public:
    Transaction(SqlConnection& c, StatementLimits& watch) : connection_(c), watch_(watch) {
        c.do_own("BEGIN IMMEDIATE", watch);
    }
    Transaction(const Transaction&) = delete;
    ~Transaction() {
        if (sqlite3_get_autocommit(connection_.db_.get())) return;
        watch_.let_go();
        SqlGuard::SchemaTrust trust(connection_.guard_);
        sqlite3_exec(connection_.db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    void commit() { connection_.do_own("COMMIT", watch_); }

private:
    SqlConnection& connection_;
    StatementLimits& watch_;
};

bool SqlConnection::is_usable() const {
    if (sqlite3_get_autocommit(db_.get()) == 0) return false;
    return sqlite3_uri_boolean(sqlite3_db_filename(db_.get(), "main"), "immutable", 0) == 0;
}
void SqlConnection::do_own(const std::string& sql, StatementLimits& watch) {
    SqlGuard::SchemaTrust trust(guard_);
    auto statement = prepare(sql, nullptr);
    if (!statement) fail(watch);
    guard_.runs(true);
    const auto code = sqlite3_step(statement.get());
    guard_.runs(false);
    if ((code & 0xFF) == SQLITE_BUSY)  // a writer at the beginning, or a reader at the commit
        throw ToolError(std::string(sql == "COMMIT" ? "the database is being read elsewhere"
                                                    : "another program is writing into the database") +
                        ": nothing was changed, try it again later");
    if (code != SQLITE_DONE && code != SQLITE_ROW) fail(watch);
}
void SqlConnection::bound_growth(StatementLimits& watch) {
    const auto value_of = [&](const char* pragma) -> std::int64_t {
        SqlGuard::SchemaTrust trust(guard_);
        const auto statement = prepare(pragma, nullptr);
        return statement && sqlite3_step(statement.get()) == SQLITE_ROW ? sqlite3_column_int64(statement.get(), 0) : 0;
    };
    const auto size = std::max<std::int64_t>(value_of("PRAGMA page_size"), 512);
    const auto pages = value_of("PRAGMA page_count") + most_growth / size;
    do_own("PRAGMA max_page_count = " + std::to_string(pages), watch);
}
/// The effect of the statement; for SELECT and RETURNING the rows. The first such rows are the last line of all.
std::string SqlConnection::change_by(std::string_view sql, sqlite3_stmt* statement, StatementLimits& watch) {
    refuse_parameters(statement);
    auto* db = sqlite3_db_handle(statement);
    const auto before = sqlite3_total_changes64(db);
    if (sqlite3_column_count(statement) > 0) return read_rows(statement, watch, false).text;
    while (step(statement, watch)) {}
    const auto change = why_it_changes(sql);  // DROP counts rows that foreign keys refer to
    if (change.starts_with("CREATE") || change.starts_with("DROP")) return "done";
    const auto rows = sqlite3_changes64(db), with_triggers = sqlite3_total_changes64(db) - before;
    return rows == 0 && with_triggers > 0 ? rows_changed(with_triggers) + " by triggers" : rows_changed(rows);
}

std::string SqlConnection::change(std::string_view sql, std::stop_token stop) {
    StatementLimits watch(*this, std::move(stop));
    if (sql.find('\0') != sql.npos) throw ToolError("the statement has a NUL character in it");
    if (auto why = why_never(sql); !why.empty()) throw ToolError(why);
    take_quoted_texts(sql.find('"') == sql.npos);
    Transaction change(*this, watch);
    bound_growth(watch);
    std::string done;
    int statements = 0;
    for (auto rest = sql; !rest.empty();) {
        learn_tables(watch);  // one statement may create the table for the next
        guard_.begin_statement();
        const auto all = rest;
        auto statement = prepare(rest, &rest);
        if (!statement && sqlite3_errcode(db_.get()) != SQLITE_OK) fail(watch, all);
        if (!statement) {
            if (rest.size() == all.size()) break;
            continue;  // blanks and comments
        }
        if (++statements > most_statements)
            throw ToolError("there are more than " + std::to_string(most_statements) +
                            " statements: nothing was changed, send fewer at once");
        done += (done.empty() ? "" : "\n") + change_by(all.substr(0, all.size() - rest.size()), statement.get(), watch);
    }
    if (statements == 0) throw ToolError("the statement is empty");
    change.commit();
    return done;
}
}
