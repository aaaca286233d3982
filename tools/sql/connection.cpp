// A statement is interruptible each 50 instructions of SQLite's machine, for time, memory and cancellation. SQLite
// itself detects a second statement: the rest is prepared until nothing is left.
#include "tools/sql/connection.hpp"
#include "engine/text/utf8.hpp"
#include "tools/sql/change.hpp"
#include "tools/sql/statement_limits.hpp"
#include "tools/sql/values.hpp"
#include "tools/tool.hpp"
#include <sqlite3.h>

namespace weft::tools {
namespace {
std::string mark(std::size_t rows, const std::string& why) {
    return "\n[truncated: " + std::to_string(rows) + (rows == 1 ? " row is" : " rows are") + " shown, the answer has " +
           why + "; ask for fewer rows or columns, or aggregate]";
}
}

SqlConnection::SqlConnection(SqliteHandle db, const SqlLimits& limits, SqlAccess access)
    : limits_(limits), guard_(access), db_(std::move(db)) {
    guard_.install(db_.get());
    sqlite3_busy_timeout(db_.get(), 1000);  // another process may write
}

/// Sets whether "a" is a text if no column has this name. Views and triggers of many databases need this, and are
/// compiled with the statement that uses them. In SQL of a model, "a" is always a name.
void SqlConnection::take_quoted_texts(bool on) {
    sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_DQS_DML, int(on), nullptr);
}
Statement SqlConnection::prepare(std::string_view sql, std::string_view* rest) {
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    auto code = sqlite3_prepare_v3(db_.get(), sql.data(), int(sql.size()), 0, &statement, &tail);
    Statement owner(statement);
    if (code != SQLITE_OK) return nullptr;
    if (rest) *rest = sql.substr(std::size_t(tail - sql.data()));
    return owner;
}
bool SqlConnection::step(sqlite3_stmt* statement, StatementLimits& watch) {
    guard_.runs(true);
    const auto code = sqlite3_step(statement);
    guard_.runs(false);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) fail(watch);
    return false;
}

Observation SqlConnection::query(std::string_view sql, std::stop_token stop, bool shown) {
    StatementLimits watch(*this, std::move(stop));
    if (sql.find('\0') != sql.npos) throw ToolError("the query has a NUL character in it");
    if (auto why = why_it_changes(sql); !why.empty()) throw ToolError(why);
    take_quoted_texts(sql.find('"') == sql.npos);
    learn_tables(watch);
    std::string_view rest;
    auto statement = prepare(sql, &rest);
    if (!statement) {
        if (sqlite3_errcode(db_.get()) != SQLITE_OK) fail(watch, sql);
        throw ToolError("the query is empty: write one SELECT");
    }
    // Only blanks and comments may follow; SQLite itself recognizes them.
    while (!rest.empty()) {
        auto before = rest.size();
        auto more = prepare(rest, &rest);
        if (watch.interrupts()) fail(watch);
        if (more || sqlite3_errcode(db_.get()) != SQLITE_OK)
            throw ToolError("one statement at a time: this query has more than one");
        if (rest.size() == before) break;
    }
    if (!sqlite3_stmt_readonly(statement.get()) || sqlite3_column_count(statement.get()) == 0)
        throw ToolError("this is not a query: the database can only be read, by one SELECT");
    refuse_parameters(statement.get());
    return read_rows(statement.get(), watch, shown);
}
Observation SqlConnection::read_rows(sqlite3_stmt* statement, StatementLimits& watch, bool shown) {
    ShownTable table;
    table.name = "result";
    for (int i = 0; shown && i < sqlite3_column_count(statement); ++i)
        table.columns.push_back(column_name(statement, i));
    const auto observed = [&table, shown](std::string text, const std::string& mark = {}) {
        Observation observation;
        observation.text = std::move(text) + mark;
        if (!shown) return observation;
        if (!mark.empty()) table.name += ", truncated";
        observation.display.emplace().tables.push_back(std::move(table));
        return observation;
    };
    std::string all = "[";
    for (std::size_t rows = 0; step(statement, watch); ++rows) {
        if (rows == limits_.rows) return observed(all + "]", mark(rows, "more"));
        auto row = (rows ? ", " : "") + print_row(statement);
        if (all.size() + row.size() > limits_.bytes) {
            if (rows) return observed(all + "]", mark(rows, "more"));
            return observed(all + std::string(utf8_cut(row, limits_.bytes)) + "...]", mark(1, "a longer one"));
        }
        all += row;
        if (shown) table.rows.push_back(show_row(statement));
    }
    return observed(all + "]");
}
}
