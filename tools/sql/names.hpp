// Names of tables and columns, as queries and models write them.
#pragma once
#include <string>
#include <string_view>

namespace weft::tools {
/// The name for a query: orders, "order details", "group".
std::string query_name(std::string_view);
/// Whether a model's text means this table: quotes of any kind, a schema and a semicolon are ignored.
bool means(std::string_view written, std::string_view name);
/// Whether the SQL, in small letters, contains this name as a whole word.
bool mentions(std::string_view lower_sql, std::string_view name);
/// Whether a table of this name contains the data of a virtual table: "docs_content" for "docs".
bool is_shadow(std::string_view name, std::string_view virtual_table);
/// Whether reading virtual tables of this module is harmless: SQLite's own full-text search and R-trees.
bool is_harmless_module(std::string_view);
}
