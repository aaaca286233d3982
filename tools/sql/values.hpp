// Values of a row as Python writes them, which is what models have seen most of.
#pragma once
#include <string>
#include <string_view>

struct sqlite3_stmt;
namespace weft::tools {
/// 'text', 5500, 0.15, None; a blob, or text that is no UTF-8, as X'00ff', its first 100 bytes at most.
std::string print_value(sqlite3_stmt*, int column);
/// "('A007', 0.15)", "(34,)"
std::string print_row(sqlite3_stmt*);
/// A string literal of Python: 'it', "it's", 'a\nb'. Valid UTF-8 only.
std::string in_quotes(std::string_view);
}
