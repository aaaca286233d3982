// A model corrects a query by the error: the existing tables, and the columns of the named ones.
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "tools/sql/connection.hpp"
#include "tools/sql/names.hpp"
#include "tools/sql/statement_limits.hpp"
#include "tools/sql/values.hpp"
#include "tools/tool.hpp"
#include <sqlite3.h>

namespace weft::tools {
namespace {
/// The name in "no such column: x", without the advice of newer SQLite versions.
std::string missing_column(std::string_view after_colon) {
    auto name = after_colon.substr(0, after_colon.find(" - should this be"));
    if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    return std::string(name);
}
[[noreturn]] void refuse_parameter(const std::string& name) {
    throw ToolError("the parameter " + name + " has no value here: write the value itself into the SQL");
}
}

void SqlConnection::refuse_parameters(sqlite3_stmt* statement) {
    const auto count = sqlite3_bind_parameter_count(statement);
    if (count == 0) return;
    const char* name = nullptr;
    for (int i = 1; i <= count && !name; ++i) name = sqlite3_bind_parameter_name(statement, i);
    refuse_parameter(name ? repair_utf8(utf8_cut(name, 100)) : "?");
}

std::string SqlConnection::columns_there(std::string_view sql, StatementLimits& watch) {
    std::string all;
    const auto words = lower(sql);
    take_quoted_texts(true);
    for (const auto& relation : learn_tables(watch)) {
        if (!mentions(words, relation.name) || !why_unreadable(relation, watch).empty()) continue;
        all += "; " + query_name(relation.name) + " has: " + column_names(relation.name, watch);
        if (all.size() > 3000) break;
    }
    return all;
}
void SqlConnection::fail(StatementLimits& watch, std::string_view sql) {
    const auto code = sqlite3_errcode(db_.get()) & 0xFF;
    std::string text = sqlite3_errmsg(db_.get());
    if (code == SQLITE_INTERRUPT || watch.interrupts()) watch.report();
    if (sqlite3_extended_errcode(db_.get()) == SQLITE_READONLY_ROLLBACK)
        throw ToolError(std::string("the database cannot be read: ") + change_left);
    if (code == SQLITE_NOMEM) throw ToolError("the query is too large, or there is no memory for it: make it simpler");
    if (auto why = guard_.take_refusal(); !why.empty()) throw ToolError(why);
    if (code == SQLITE_TOOBIG) text = "a value or the statement is too long";
    if (code == SQLITE_FULL) text = "the database would grow too much, or the disk is full";
    if (text.starts_with("too many SQL variables") || text.starts_with("variable number must be"))
        refuse_parameter("?");
    constexpr std::string_view no_column = "no such column: ";
    if (text.starts_with("no such table: ")) text += "; there are: " + listed(readable(watch));
    else if (text.starts_with(no_column) && !sql.empty()) {
        const auto name = missing_column(std::string_view(text).substr(no_column.size()));
        text = std::string(no_column) + name;
        if (sql.find('"' + name + '"') != sql.npos)
            text += "; in double quotes it is a name, and a text is written " + sql_text(name);
        text += columns_there(sql, watch);
    } else if (text.find(" has no column named ") != text.npos) text += columns_there(sql, watch);
    throw ToolError("SQL error: " + repair_utf8(utf8_cut(text, 5000)));
}
}
