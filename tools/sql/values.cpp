// Text that is not UTF-8 becomes a blob; control characters are escaped, so that a row stays on one line.
#include "tools/sql/values.hpp"
#include "engine/text/utf8.hpp"
#include "tools/schema/number.hpp"
#include <sqlite3.h>

namespace weft::tools {
namespace {
constexpr std::size_t most_blob = 100;

void put_hex(std::string& to, unsigned char byte) {
    constexpr const char* digits = "0123456789abcdef";
    to += digits[byte >> 4];
    to += digits[byte & 15];
}
std::string print_blob(std::string_view bytes) {
    std::string all = "X'";
    for (char c : bytes.substr(0, most_blob)) put_hex(all, static_cast<unsigned char>(c));
    if (bytes.size() > most_blob) return all + "'... (" + std::to_string(bytes.size()) + " bytes)";
    return all + "'";
}
}

std::string in_quotes(std::string_view text) {
    char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
    std::string all(1, quote);
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto c = static_cast<unsigned char>(text[i]);
        if (c == static_cast<unsigned char>(quote) || c == '\\') (all += '\\') += char(c);
        else if (c == '\n') all += "\\n";
        else if (c == '\r') all += "\\r";
        else if (c == '\t') all += "\\t";
        else if (c < 0x20 || c == 0x7F) put_hex(all += "\\x", c);
        else if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0)  // C1 controls
            put_hex(all += "\\x", static_cast<unsigned char>(text[++i]));
        else all += char(c);
    }
    return all + quote;
}
std::string sql_text(std::string_view text) {
    std::string all = "'";
    for (const char c : text) all.append(c == '\'' ? 2 : 1, c);
    return all + '\'';
}
std::string print_value(sqlite3_stmt* row, int column) {
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: return "None";
    case SQLITE_INTEGER: return std::to_string(sqlite3_column_int64(row, column));
    case SQLITE_FLOAT: return print_float(sqlite3_column_double(row, column));
    case SQLITE_BLOB: {
        auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, column));
        auto size = std::size_t(sqlite3_column_bytes(row, column));
        return print_blob({bytes ? bytes : "", bytes ? size : 0});
    }
    default: {
        auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
        std::string_view text(bytes ? bytes : "", bytes ? std::size_t(sqlite3_column_bytes(row, column)) : 0);
        return is_utf8(text) ? in_quotes(text) : print_blob(text);
    }
    }
}
std::vector<std::string> show_row(sqlite3_stmt* row) {
    std::vector<std::string> cells;
    for (int i = 0; i < sqlite3_data_count(row); ++i) {
        const auto type = sqlite3_column_type(row, i);
        const auto* bytes = type == SQLITE_TEXT ? reinterpret_cast<const char*>(sqlite3_column_text(row, i)) : nullptr;
        const std::string_view text(bytes ? bytes : "", bytes ? std::size_t(sqlite3_column_bytes(row, i)) : 0);
        if (type == SQLITE_NULL) cells.emplace_back("NULL");
        else if (bytes && is_utf8(text)) cells.emplace_back(text);
        else cells.push_back(print_value(row, i));
    }
    return cells;
}
std::string column_name(sqlite3_stmt* statement, int column) {
    const auto* name = sqlite3_column_name(statement, column);
    return repair_utf8(name ? name : "");
}
std::string print_row(sqlite3_stmt* row) {
    auto n = sqlite3_data_count(row);
    std::string all = "(";
    for (int i = 0; i < n; ++i) (all += i ? ", " : "") += print_value(row, i);
    return all + (n == 1 ? ",)" : ")");
}
}
