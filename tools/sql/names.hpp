// Names of tables and columns, as queries write them and as models do.
#pragma once
#include <string>
#include <string_view>

namespace weft::tools {
/// As a query has to write it: orders, "order details", "group".
std::string query_name(std::string_view);
/// Whether a model that wrote this means the table of this name: with quotes of any kind, a schema, a semicolon.
bool means(std::string_view written, std::string_view name);
/// Whether the SQL, in small letters, has this name in it as a word of its own.
bool mentions(std::string_view lower_sql, std::string_view name);
/// Whether a table of this name holds what the virtual table keeps: "docs_content", of "docs".
bool is_shadow(std::string_view name, std::string_view virtual_table);
/// Whether virtual tables of this kind are read without harm: full-text search and R-trees of SQLite itself.
bool is_harmless_module(std::string_view);
}
