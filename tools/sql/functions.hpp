// SQL functions whose own implementation can run for minutes inside one instruction.
#pragma once

struct sqlite3;
namespace weft::tools {
/// instr, replace, and trim, ltrim, rtrim with a set of characters: as SQLite's, but refused if the product of the
/// lengths, which is the time that they take, is beyond ten million.
void replace_functions(sqlite3*);
}
