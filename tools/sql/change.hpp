// Recognizes changing statements by their first words, to explain a refusal. This text analysis protects nothing: the
// protection is tools/sql/guard.hpp.
#pragma once
#include <string>
#include <string_view>

namespace weft::tools {
/// The reason to refuse this SQL - "DROP TABLE changes the database; this tool only reads: ..." - by the first of its
/// statements that changes anything. Empty: none does. Comments, EXPLAIN and WITH may precede the statement.
std::string why_it_changes(std::string_view sql);

/// Whether one of the statements changes a writable database. If not, a connection that cannot write executes them.
bool changes_database(std::string_view sql);
/// The reason why even a writable database refuses a statement: "VACUUM rewrites the database; ...". Empty: none is
/// refused.
std::string why_never(std::string_view sql);
/// The module of a CREATE VIRTUAL TABLE in small letters: "fts5". Empty for another statement.
std::string module_of(std::string_view sql);
}
