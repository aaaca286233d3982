// The display is measured in its stored form, with JSON's escapes: an event with an observation must fit into an entry
// of a server's log, 1 MiB. The model's text is 64 KiB before escaping, so 384 KiB at most.
#include "tools/observation.hpp"
#include "engine/text/base64.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>

namespace weft::tools {
namespace {
constexpr std::size_t most_text = 64u << 10, most_name_bytes = 200, most_shown = 8;
constexpr std::size_t most_file = 128u << 10, most_files = 256u << 10;
constexpr std::size_t most_rows = 500, most_columns = 50, most_tables = 128u << 10, most_cell = 4u << 10;
constexpr std::size_t most_display = 576u << 10, most_frame = 80;  // JSON around a file or a table

/// The size as a JSON string, with quotes and a comma.
std::size_t in_json(std::string_view text) {
    std::size_t bytes = text.size() + 3;
    for (const unsigned char c : text) {
        const bool is_short = c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r' || c == '\b' || c == '\f';
        if (is_short || c < 0x20) bytes += is_short ? 1 : 5;
    }
    return bytes;
}
/// Takes the size from the room; returns false if the room is too small.
bool take(std::size_t& left, std::size_t bytes) {
    const bool fits = bytes <= left;
    if (fits) left -= bytes;
    return fits;
}

std::string cut_text(std::string text) {
    const auto all = text.size();
    if (all <= most_text) return is_utf8(text) ? text : repair_utf8(text);
    text.resize(utf8_cut(text, most_text).size());
    return repair_utf8(text) + "\n[truncated: the first " + std::to_string(text.size()) + " of " + std::to_string(all) +
           " bytes]";
}
std::string cut_name(const std::string& name) { return repair_utf8(utf8_cut(name, most_name_bytes)); }
std::string cut_cell(const std::string& cell) {
    auto text = repair_utf8(utf8_cut(cell, most_cell));
    return text.size() < cell.size() ? text + "..." : text;
}
void cut_files(std::vector<ShownFile>& files, std::size_t& left) {
    if (files.size() > most_shown) files.resize(most_shown);
    std::size_t taken = 0;
    for (auto& file : files) {
        file.name = cut_name(file.name);
        file.media_type = cut_name(file.media_type);
        file.bytes = std::max<std::int64_t>(file.bytes, 0);
        const auto size = file.data.size() / 4 * 3;
        const bool fits = is_base64(file.data) && size <= most_file + 3 && taken + size <= most_files + 3;
        take(left, in_json(file.name) + in_json(file.media_type) + most_frame);
        if (fits && take(left, file.data.size())) taken += size;
        else file.data.clear();
    }
}
/// Takes the table's size from the room. Counts rows without room; without room for the columns there are no rows.
void cut_table(ShownTable& table, std::size_t& left) {
    if (table.columns.size() > most_columns) table.columns.resize(most_columns);
    std::size_t head = in_json(table.name = cut_name(table.name)) + most_frame;
    for (auto& column : table.columns) head += in_json(column = cut_name(column));
    if (!take(left, head)) {
        table.columns.clear();
        left = 0;
    }
    std::size_t kept = 0;
    for (; kept < std::min(table.rows.size(), most_rows); ++kept) {
        auto& row = table.rows[kept];
        row.resize(table.columns.size());
        std::size_t bytes = 3;
        for (auto& cell : row) bytes += in_json(cell = cut_cell(cell));
        if (!take(left, bytes)) break;
    }
    table.more_rows = std::max<std::int64_t>(table.more_rows, 0) + std::int64_t(table.rows.size() - kept);
    table.rows.resize(kept);
}
std::string counted(std::int64_t n, const char* what) { return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s"); }
}

ShownFile shown_file(std::string name, std::string media_type, std::string_view content) {
    ShownFile file{std::move(name), std::move(media_type), std::int64_t(content.size()), {}};
    if (content.size() > most_file) return file;
    file.data = base64(content);
    return file;
}
std::string content_of(const ShownFile& file) {
    return file.data.size() > 2 * most_file ? std::string() : from_base64(file.data).value_or(std::string());
}
Observation bounded(Observation observation) {
    observation.text = cut_text(std::move(observation.text));
    if (!observation.display) return observation;
    auto& display = *observation.display;
    display.text = cut_text(std::move(display.text));
    auto left = most_display - in_json(display.text);
    cut_files(display.files, left);
    if (display.tables.size() > most_shown) display.tables.resize(most_shown);
    left = std::min(left, most_tables);
    for (auto& table : display.tables) cut_table(table, left);
    return observation;
}
std::vector<std::string> in_lines(const Display& display) {
    std::vector<std::string> lines;
    for (const auto& file : display.files)
        lines.push_back("file " + file.name + " (" + file.media_type + ", " + counted(file.bytes, "byte") +
                        (file.data.empty() && file.bytes ? ", too large to be kept)" : ")"));
    for (const auto& table : display.tables)
        lines.push_back("table " + table.name + " (" + counted(std::int64_t(table.columns.size()), "column") + ", " +
                        counted(std::int64_t(table.rows.size()) + table.more_rows, "row") + ")");
    return lines;
}
}
