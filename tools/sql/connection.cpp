// A statement is watched every 50 instructions of SQLite's machine, for time, memory and cancellation. That there is
// only one statement is SQLite's to tell: the rest is prepared until nothing is left.
#include "tools/sql/connection.hpp"
#include "engine/asio.hpp"
#include "engine/text.hpp"
#include "engine/utf8.hpp"
#include "tools/sql/change.hpp"
#include "tools/sql/values.hpp"
#include "tools/sql/watch.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <map>
#include <sqlite3.h>

namespace weft::tools {
namespace {
std::string shown_table(std::string_view text) { return repair_utf8(utf8_cut(text, 100)); }
std::string column(sqlite3_stmt* row, int i) {
    auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, i));
    return text ? repair_utf8({text, std::size_t(sqlite3_column_bytes(row, i))}) : "";
}
std::string listed(const std::vector<std::string>& names, const char* none) {
    std::string all;
    for (auto& name : names) {
        if (all.size() > 4000) return all + ", ...";
        all += (all.empty() ? "" : ", ") + name;
    }
    return all.empty() ? none : all;
}
std::string mark(std::size_t rows, const std::string& why) {
    return "\n[truncated: " + std::to_string(rows) + (rows == 1 ? " row is" : " rows are") + " shown, the answer has " +
           why + "; ask for fewer rows or columns, or aggregate]";
}
}

Connection::Connection(Handle db, const SqlLimits& limits, SqlAccess access)
    : limits_(limits), guard_(access), db_(std::move(db)) {
    guard_.install(db_.get());
    sqlite3_busy_timeout(db_.get(), 1000);  // another process may be writing
}

void Connection::fail(Watch& watch) {
    auto code = sqlite3_errcode(db_.get()) & 0xFF;
    std::string text = sqlite3_errmsg(db_.get());
    if (code == SQLITE_INTERRUPT) watch.report();
    if (code == SQLITE_NOMEM) throw ToolError("the query needs more memory than there is: make it simpler");
    if (auto why = guard_.take_refusal(); !why.empty()) throw ToolError(why);
    if (code == SQLITE_TOOBIG) text = "a value or the statement is too long";
    if (code == SQLITE_FULL) text = "the database would grow too much, or the disk is full";
    if (text.starts_with("no such table: ")) text += "; there are: " + listed(names(watch), "no tables at all");
    throw ToolError("SQL error: " + repair_utf8(utf8_cut(text, 5000)));
}
Statement Connection::prepare(std::string_view sql, std::string_view* rest) {
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    auto code = sqlite3_prepare_v3(db_.get(), sql.data(), int(sql.size()), 0, &statement, &tail);
    Statement owner(statement);
    if (code != SQLITE_OK) return nullptr;
    if (rest) *rest = sql.substr(std::size_t(tail - sql.data()));
    return owner;
}
bool Connection::step(sqlite3_stmt* statement, Watch& watch) {
    auto code = sqlite3_step(statement);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) fail(watch);
    return false;
}

std::vector<std::string> Connection::names(Watch& watch) {
    Guard::Trust trust(guard_);
    std::vector<std::string> names;
    auto statement = prepare("SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view') "
                             "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name COLLATE NOCASE",
                             nullptr);
    if (!statement) fail(watch);
    while (step(statement.get(), watch)) names.push_back(column(statement.get(), 0));
    return names;
}

void Connection::learn_tables(Watch& watch) {
    guard_.tables.clear();
    for (auto& name : names(watch)) guard_.tables.insert(lower(name));
    guard_.take_refusal();
}
std::string Connection::tables(std::stop_token stop) {
    Watch watch(*this, std::move(stop));
    std::string all;
    for (auto& name : names(watch)) {
        if (all.size() > limits_.bytes) return "[" + all + ", ...]\n[truncated: there are more tables]";
        all += (all.empty() ? "" : ", ") + in_quotes(name);
    }
    return "[" + all + "]";
}

std::string Connection::describe(std::string_view wanted, std::stop_token stop) {
    Watch watch(*this, std::move(stop));
    const auto bare = lower(trimmed(wanted, " \t\r\n\"'`[];"));
    auto all = names(watch);
    for (auto& name : all)
        if (name == wanted || lower(name) == bare) return columns(name, watch);
    throw ToolError("there is no table '" + shown_table(wanted) + "'; there are: " + listed(all, "no tables at all"));
}
std::string Connection::columns(const std::string& table, Watch& watch) {
    auto ask = [&](std::string_view sql, auto each) {
        Guard::Trust trust(guard_);
        auto statement = prepare(sql, nullptr);
        if (!statement) fail(watch);
        sqlite3_bind_text(statement.get(), 1, table.data(), int(table.size()), SQLITE_TRANSIENT);
        while (step(statement.get(), watch)) each(statement.get());
    };
    std::map<std::string, std::string> references;
    ask("SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(?1)", [&](sqlite3_stmt* row) {
        auto to = column(row, 2);
        references[column(row, 0)] += " REFERENCES " + column(row, 1) + (to.empty() ? "" : "(" + to + ")");
    });
    std::string lines;
    bool full = false;
    ask("SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1)", [&](sqlite3_stmt* row) {
        if ((full = full || lines.size() > limits_.bytes)) return;
        auto name = column(row, 0), type = column(row, 1);
        lines += (lines.empty() ? "" : "\n") + name + (type.empty() ? "" : " " + type);
        if (sqlite3_column_int(row, 2)) lines += " NOT NULL";
        if (sqlite3_column_int(row, 3)) lines += " PRIMARY KEY";
        lines += references[name];
    });
    return full ? lines + "\n[truncated: there are more columns]" : lines;
}

Observation Connection::query(std::string_view sql, std::stop_token stop, bool shown) {
    Watch watch(*this, std::move(stop));
    if (sql.find('\0') != sql.npos) throw ToolError("the query has a NUL character in it");
    if (auto why = why_it_changes(sql); !why.empty()) throw ToolError(why);
    learn_tables(watch);
    std::string_view rest;
    auto statement = prepare(sql, &rest);
    if (!statement) {
        if (sqlite3_errcode(db_.get()) != SQLITE_OK) fail(watch);
        throw ToolError("the query is empty: write one SELECT");
    }
    // Whatever follows must be blanks and comments, which SQLite itself is the one to tell.
    while (!rest.empty()) {
        auto before = rest.size();
        auto more = prepare(rest, &rest);
        if (more || sqlite3_errcode(db_.get()) != SQLITE_OK)
            throw ToolError("one statement at a time: this query has more than one");
        if (rest.size() == before) break;
    }
    if (!sqlite3_stmt_readonly(statement.get()) || sqlite3_column_count(statement.get()) == 0)
        throw ToolError("this is not a query: the database can only be read, by one SELECT");
    return read_rows(statement.get(), watch, shown);
}
Observation Connection::read_rows(sqlite3_stmt* statement, Watch& watch, bool shown) {
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
