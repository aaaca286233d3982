// The file format fixes the names of tables that SQLite's modules use; vec0 belongs to sqlite-vec.
#include "tools/sql/names.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include <algorithm>
#include <array>
#include <sqlite3.h>

namespace weft::tools {
namespace {
bool in_name(char c) { return is_word_part(c) || (c & 0x80) != 0; }
std::string unquoted(std::string_view text) {
    if (text.size() < 2 || std::string_view("\"'`[").find(text.front()) == std::string_view::npos)
        return std::string(text);
    const char end = text.front() == '[' ? ']' : text.front();
    if (text.back() != end) return std::string(text);
    std::string name;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        name += text[i];
        if (text[i] == end && i + 2 < text.size() && text[i + 1] == end) ++i;
    }
    return name;
}
}

std::string query_name(std::string_view name) {
    const bool is_plain = !name.empty() && std::ranges::all_of(name, in_name) && !is_digit(name[0]) &&
                          sqlite3_keyword_check(name.data(), int(name.size())) == 0;
    if (is_plain) return std::string(name);
    std::string quoted = "\"";
    for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}
bool means(std::string_view written, std::string_view name) {
    if (written == name) return true;
    written = trimmed(written, " \t\r\n;");
    constexpr std::string_view schema = "main.";
    if (equal_ignoring_case(written.substr(0, schema.size()), schema)) written.remove_prefix(schema.size());
    return equal_ignoring_case(written, name) || equal_ignoring_case(unquoted(written), name) ||
           equal_ignoring_case(trimmed(written, "\"'`[]"), name);
}
bool mentions(std::string_view all, std::string_view name) {
    const auto word = lower(name);
    if (word.empty()) return false;
    for (auto at = all.find(word); at != all.npos; at = all.find(word, at + 1)) {
        const auto end = at + word.size();
        if ((at == 0 || !in_name(all[at - 1])) && (end == all.size() || !in_name(all[end]))) return true;
    }
    return false;
}
bool is_shadow(std::string_view name, std::string_view virtual_table) {
    constexpr std::array endings{"_auxiliary", "_chunks", "_config", "_content",  "_data",
                                 "_docsize",   "_idx",    "_info",   "_node",     "_parent",
                                 "_rowid",     "_rowids", "_segdir", "_segments", "_stat"};
    if (!equal_ignoring_case(name.substr(0, virtual_table.size()), virtual_table)) return false;
    const auto ending = lower(name.substr(virtual_table.size()));
    return std::ranges::find(endings, ending) != endings.end() || ending.starts_with("_vector_chunks") ||
           ending.starts_with("_metadata");
}
bool is_harmless_module(std::string_view name) {
    constexpr std::array harmless{"fts3", "fts4", "fts4aux", "fts5", "fts5vocab", "rtree", "rtree_i32"};
    return std::ranges::find(harmless, lower(name)) != harmless.end();
}
}
