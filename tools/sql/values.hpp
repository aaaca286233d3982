// Values of a row in Python's notation, which models know best.
#pragma once
#include <string>
#include <string_view>
#include <vector>

struct sqlite3_stmt;
namespace weft::tools {
/// 'text', 5500, 0.15, None; a blob, or text that is not UTF-8, as X'00ff' with at most its first 100 bytes.
std::string print_value(sqlite3_stmt*, int column);
/// "('A007', 0.15)", "(34,)"
std::string print_row(sqlite3_stmt*);
/// The values of a row for people: text without quotes, NULL.
std::vector<std::string> show_row(sqlite3_stmt*);
std::string column_name(sqlite3_stmt*, int column);
/// A Python string literal: 'it', "it's", 'a\nb'. Valid UTF-8 only.
std::string in_quotes(std::string_view);
/// A SQL string literal: 'it''s'.
std::string sql_text(std::string_view);
}
