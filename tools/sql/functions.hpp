// Replacements for SQL functions that could run for minutes inside one instruction.
#pragma once
#include <string_view>

struct sqlite3;
struct sqlite3_value;
namespace weft::tools {
/// instr, replace, and trim, ltrim, rtrim with a set of characters: the same as SQLite's, but refused if the product of
/// the lengths, which determines the time, exceeds ten million.
void replace_functions(sqlite3*);
/// highlight and snippet of FTS5, which take quadratic time: replaced by linear ones with the same results.
void replace_full_text_functions(sqlite3*);
/// An argument of such a function; empty for null. Valid as long as the value.
std::string_view text_of(sqlite3_value*);
}
