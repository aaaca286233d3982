// SQL functions whose own implementation can run for minutes inside one instruction.
#pragma once
#include <string_view>

struct sqlite3;
struct sqlite3_value;
namespace weft::tools {
/// instr, replace, and trim, ltrim, rtrim with a set of characters: as SQLite's, but refused if the product of the
/// lengths, which is the time that they take, is beyond ten million.
void replace_functions(sqlite3*);
/// highlight and snippet of FTS5, which take quadratic time: by others that find the same in linear time.
void replace_full_text_functions(sqlite3*);
/// An argument of such a function; empty for null. Valid as long as the value is.
std::string_view text_of(sqlite3_value*);
}
