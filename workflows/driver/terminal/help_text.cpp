// Consecutive lines without indentation are one paragraph; every other line is a separate paragraph.
#include "workflows/driver/terminal/help_text.hpp"
#include "engine/text/text.hpp"
#include "steps/view/wrap.hpp"
#include <algorithm>
#include <utility>

namespace weft::driver {
namespace {
constexpr char unbroken_blank = '\x1f';

bool is_indented(std::string_view line) { return line.starts_with(' '); }
bool is_heading(std::string_view line) { return line.ends_with(':') || line.starts_with("Usage:"); }
/// "  weft react ...", also "  printf ... | weft parse"
bool is_command(std::string_view line) {
    return line.starts_with("  ") && trimmed_front(line) != line && line.find("weft ") != line.npos &&
           line.find("  ", line.find_first_not_of(' ')) == line.npos;
}
/// The column at which a line's explanation begins; 0 if the line has one column.
std::size_t second_column(std::string_view line) {
    const auto word = line.find_first_not_of(' ');
    const auto gap = word == 0 || word == line.npos ? line.npos : line.find("  ", word);
    const auto text = gap == line.npos ? line.npos : line.find_first_not_of(' ', gap);
    return text == line.npos || text > 40 ? 0 : text;
}
/// Replaces blanks between single quotes, where a shell reads a backslash as itself, so that no line ends there.
std::string with_whole_quotes(std::string_view command) {
    std::string out;
    bool quoted = false, doubly = false;
    for (const char c : command) {
        doubly ^= c == '"' && !quoted;
        quoted ^= c == '\'' && !doubly;
        out += quoted && c == ' ' ? unbroken_blank : c;
    }
    return out;
}
void put_line(std::string& out, std::string_view line, std::size_t columns) {
    const auto column = second_column(line);
    const bool command = !column && is_command(line);
    const auto indent = std::string(column    ? column
                                    : command ? 6
                                              : std::min(line.find_first_not_of(' '), line.size()),
                                    ' ');
    const auto end = command ? " \\" : "";
    const auto room = columns - std::min(columns / 2, indent.size() + (command ? 2 : 0));
    bool first = true;
    const auto text = command ? with_whole_quotes(line) : std::string(line.substr(column));
    for (auto part : view::wrap(text, {.columns = room, .first = room})) {
        std::ranges::replace(part, unbroken_blank, ' ');
        if (std::exchange(first, false)) out.append(line.substr(0, column)) += part;
        else out += std::string(end) + '\n' + indent + std::string(trimmed_front(part));
    }
    out += '\n';
}
}

std::string in_columns(std::string_view help, std::size_t columns) {
    std::string out, paragraph;
    const auto end_paragraph = [&] {
        if (!paragraph.empty()) put_line(out, paragraph, columns);
        paragraph.clear();
    };
    while (!help.empty()) {
        const auto line = trimmed_end(cut_at(help, '\n'));
        if (line.empty() || is_indented(line) || is_heading(line)) {
            end_paragraph();
            put_line(out, line, columns);
        } else paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    }
    end_paragraph();
    return out;
}
}
