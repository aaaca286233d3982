// The readable tables: plain ones, views that compile under the guard, and virtual tables of harmless modules. A
// virtual table keeps its data in other tables. A query may read them, as the virtual table does, but no list contains
// them.
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "tools/sql/change.hpp"
#include "tools/sql/connection.hpp"
#include "tools/sql/names.hpp"
#include "tools/sql/statement_limits.hpp"
#include "tools/sql/values.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <functional>
#include <map>
#include <sqlite3.h>

namespace weft::tools {
namespace {
std::string column_text(sqlite3_stmt* row, int i) {
    auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, i));
    return text ? repair_utf8({text, std::size_t(sqlite3_column_bytes(row, i))}) : "";
}
void add_name(std::string& names, std::string_view name) { names += (names.empty() ? "" : ", ") + query_name(name); }
std::string select_none(std::string_view table) { return "SELECT * FROM main." + query_name(table) + " LIMIT 0"; }
std::string rest_of_tables(std::size_t shown, std::size_t all, const std::string& last) {
    return "\n[truncated: " + std::to_string(shown) + " of " + std::to_string(all) +
           " tables are shown; sql_db_query gives the rest: SELECT name FROM sqlite_schema WHERE type IN ('table', "
           "'view') AND name > " +
           sql_text(last) + " COLLATE NOCASE ORDER BY name COLLATE NOCASE]";
}
}

std::vector<SqlConnection::Relation> SqlConnection::relations(StatementLimits& watch) {
    SqlGuard::SchemaTrust trust(guard_);
    std::vector<Relation> all;
    auto statement = prepare("SELECT name, type = 'view', CASE WHEN type = 'table' AND rootpage = 0 THEN sql END FROM "
                             "main.sqlite_schema WHERE type IN ('table', 'view') "
                             "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name COLLATE NOCASE",
                             nullptr);
    if (!statement) fail(watch);
    while (step(statement.get(), watch))
        all.push_back({column_text(statement.get(), 0), sqlite3_column_int(statement.get(), 1) != 0,
                       module_of(column_text(statement.get(), 2)),
                       sqlite3_column_type(statement.get(), 2) != SQLITE_NULL});
    return all;
}
/// SQLite loads a virtual table when a statement first names it, by statements that the guard would refuse.
bool SqlConnection::loads(const Relation& table) {
    SqlGuard::SchemaTrust trust(guard_);
    const bool loaded = is_harmless_module(table.module) && prepare(select_none(table.name), nullptr);
    guard_.take_refusal();
    return loaded;
}
std::vector<SqlConnection::Relation> SqlConnection::learn_tables(StatementLimits& watch) {
    auto all = relations(watch);
    guard_.tables.clear();
    for (const auto& relation : all) guard_.tables.insert(lower(relation.name));
    std::vector<std::string> virtual_tables;
    for (const auto& relation : all)
        if (relation.is_virtual) virtual_tables.push_back(relation.name);
    std::erase_if(all, [&](const Relation& relation) {
        if (!relation.is_virtual)
            return std::ranges::any_of(virtual_tables,
                                       [&](const auto& table) { return is_shadow(relation.name, table); });
        if (loads(relation)) return false;
        guard_.tables.erase(lower(relation.name));
        return true;
    });
    guard_.take_refusal();
    return all;
}
/// Why a view cannot be read. Empty if it can, and for a table.
std::string SqlConnection::why_unreadable(const Relation& relation, StatementLimits& watch) {
    if (!relation.is_view || prepare(select_none(relation.name), nullptr)) return {};
    std::string why = sqlite3_errmsg(db_.get());
    const auto code = sqlite3_errcode(db_.get()) & 0xFF;
    if (auto refusal = guard_.take_refusal(); !refusal.empty()) why = refusal;
    if (watch.interrupts()) {
        if (!watch.goes_on()) watch.report();
        return "it needs too much memory";
    }
    return code == SQLITE_ERROR || code == SQLITE_AUTH ? why : std::string();
}

std::vector<SqlConnection::Relation> SqlConnection::readable(StatementLimits& watch) {
    take_quoted_texts(true);
    auto all = learn_tables(watch);
    std::erase_if(all, [&](const Relation& relation) { return !why_unreadable(relation, watch).empty(); });
    return all;
}

std::string SqlConnection::tables(std::stop_token stop) {
    StatementLimits watch(*this, std::move(stop));
    const auto shown = readable(watch);
    std::string all;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (all.size() > limits_.bytes)
            return "[" + all + ", ...]" + rest_of_tables(i, shown.size(), shown[i - 1].name);
        all += (all.empty() ? "" : ", ") + in_quotes(query_name(shown[i].name));
    }
    return "[" + all + "]";
}
std::string SqlConnection::describe(std::string_view wanted, std::stop_token stop) {
    StatementLimits watch(*this, std::move(stop));
    take_quoted_texts(true);
    const auto shown = "'" + repair_utf8(utf8_cut(wanted, 100)) + "'";
    for (const auto& relation : learn_tables(watch)) {
        if (!means(wanted, relation.name)) continue;
        const auto why = why_unreadable(relation, watch);
        if (why.empty()) return columns(relation.name, watch);
        throw ToolError("the view " + shown + " cannot be read: " + repair_utf8(utf8_cut(why, 300)));
    }
    const auto others = "; there are: " + listed(readable(watch));
    for (const auto& relation : relations(watch))
        if (means(wanted, relation.name))
            throw ToolError("the table " + shown + " is of a virtual table, and not to be read" + others);
    throw ToolError("there is no table " + shown + others);
}
std::string SqlConnection::listed(const std::vector<Relation>& relations) {
    std::string all;
    for (const auto& relation : relations) {
        if (all.size() > 4000) return all + ", ... (" + std::to_string(relations.size()) + " in all)";
        all += (all.empty() ? "" : ", ") + query_name(relation.name);
    }
    return all.empty() ? "no tables at all" : all;
}

void SqlConnection::ask_about(const std::string& table, std::string_view sql, StatementLimits& watch,
                              const std::function<void(sqlite3_stmt*)>& each) {
    SqlGuard::SchemaTrust trust(guard_);
    auto statement = prepare(sql, nullptr);
    if (!statement) fail(watch);
    sqlite3_bind_text(statement.get(), 1, table.data(), int(table.size()), SQLITE_TRANSIENT);
    while (step(statement.get(), watch)) each(statement.get());
}
std::string SqlConnection::columns(const std::string& table, StatementLimits& watch) {
    std::string key;
    int key_columns = 0;
    ask_about(table, "SELECT name FROM pragma_table_xinfo(?1) WHERE pk > 0 ORDER BY pk", watch, [&](sqlite3_stmt* row) {
        add_name(key, column_text(row, 0));
        ++key_columns;
    });
    struct ForeignKey {
        std::string from, table, to;
        bool is_composite = false;
    };
    std::map<int, ForeignKey, std::greater<>> foreign_keys;  // SQLite numbers them from the last one
    const auto* parts = "SELECT id, \"from\", \"table\", \"to\", seq FROM pragma_foreign_key_list(?1) ORDER BY id, seq";
    ask_about(table, parts, watch, [&](sqlite3_stmt* row) {
        auto& foreign = foreign_keys[sqlite3_column_int(row, 0)];
        add_name(foreign.from, column_text(row, 1));
        foreign.table = query_name(column_text(row, 2));
        if (const auto to = column_text(row, 3); !to.empty()) add_name(foreign.to, to);
        foreign.is_composite = sqlite3_column_int(row, 4) > 0;
    });
    std::map<std::string, std::string> references;  // indexed by column
    std::vector<std::string> keys;                  // keys with several columns
    if (key_columns > 1) keys.push_back("PRIMARY KEY (" + key + ")");
    for (const auto& [id, foreign] : foreign_keys) {
        const auto target = " REFERENCES " + foreign.table + (foreign.to.empty() ? "" : "(" + foreign.to + ")");
        if (foreign.is_composite) keys.push_back("FOREIGN KEY (" + foreign.from + ")" + target);
        else references[foreign.from] += target;
    }
    std::string lines;
    std::size_t shown = 0, all = 0;
    const auto add = [&](const std::string& line) {
        ++all;
        if (lines.size() > limits_.bytes) return;
        lines += (shown++ == 0 ? "" : "\n") + line;
    };
    const auto* visible = "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1";
    ask_about(table, visible, watch, [&](sqlite3_stmt* row) {
        const auto name = query_name(column_text(row, 0)), type = column_text(row, 1);
        auto line = name + (type.empty() ? "" : " " + type);
        if (sqlite3_column_int(row, 2)) line += " NOT NULL";
        if (sqlite3_column_int(row, 3) && key_columns == 1) line += " PRIMARY KEY";
        add(line + references[name]);
    });
    for (const auto& line : keys) add(line);
    if (shown == all) return lines;
    return lines + "\n[truncated: " + std::to_string(shown) + " of " + std::to_string(all) +
           " columns and keys are shown; sql_db_query gives the rest: SELECT substr(sql, " +
           std::to_string(std::max<std::size_t>(lines.size() / 2, 1)) +
           ") FROM sqlite_schema WHERE name = " + sql_text(table) + "]";
}
std::string SqlConnection::column_names(const std::string& table, StatementLimits& watch) {
    std::string names;
    const auto* visible = "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden <> 1";
    ask_about(table, visible, watch, [&](sqlite3_stmt* row) {
        if (names.size() > 1000) return;
        names += (names.empty() ? "" : ", ") + (names.size() > 990 ? "..." : query_name(column_text(row, 0)));
    });
    return names;
}
}
