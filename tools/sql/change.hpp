// Tells a statement that changes the database by how it begins, so that it is refused as what it is. Only the sentence
// comes from here: nothing is safe because of it. That is the matter of tools/sql/guard.hpp.
#pragma once
#include <string>
#include <string_view>

namespace weft::tools {
/// Why this SQL is refused - "DROP TABLE changes the database; this tool only reads: ..." - by the first of its
/// statements that changes anything. Empty if there is none. Comments, EXPLAIN and WITH may stand before it.
std::string why_it_changes(std::string_view sql);

/// Of a database that is opened for writing: whether one of the statements changes it. If not, it is read as ever, by a
/// connection that cannot write.
bool changes_database(std::string_view sql);
/// Why a statement is refused there, too: "VACUUM writes the database anew; ...". Empty if none is.
std::string why_never(std::string_view sql);
/// The module of a CREATE VIRTUAL TABLE, in small letters: "fts5". Empty for any other statement.
std::string module_of(std::string_view sql);
}
