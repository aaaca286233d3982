// Reads the file line by line; skips a UTF-8 byte order mark at the start and Windows line ends.
#include "steps/models/dotenv.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include <algorithm>
#include <optional>

namespace weft::models {
namespace {
constexpr std::string_view line_blanks = " \t\r";

std::string_view trim(std::string_view text) { return trimmed(text, line_blanks); }
bool is_name(std::string_view text) {
    return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, is_word_part);
}
// Returns the text up to the closing quote; nullopt without a closing quote, or if more than a comment follows it.
std::optional<std::string> quoted(std::string_view text) {
    const char quote = text.front();
    std::string value;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == quote) {
            const auto after = trim(text.substr(i + 1));
            if (!after.empty() && after.front() != '#') return {};
            return value;
        }
        if (quote == '"' && text[i] == '\\' && i + 1 < text.size()) {
            const char c = text[++i];
            if (c == 'n') value += '\n';
            else if (c == 't') value += '\t';
            else if (c == '"' || c == '\\' || c == '$') value += c;
            else (value += '\\') += c;
        } else {
            value += text[i];
        }
    }
    return {};
}
std::string bare(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '#' && (i == 0 || line_blanks.find(text[i - 1]) != std::string_view::npos))
            return std::string(trim(text.substr(0, i)));
    return std::string(text);
}
bool take(std::string_view line, Dotenv& file) {
    if (line.substr(0, 6) == "export" && line.size() > 6 && line_blanks.find(line[6]) != std::string_view::npos)
        line = trim(line.substr(7));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos || line.find('\0') != std::string_view::npos) return false;
    const auto name = trim(line.substr(0, equals));
    const auto text = trim(line.substr(equals + 1));
    if (!is_name(name)) return false;
    const bool has_quotes = !text.empty() && (text.front() == '"' || text.front() == '\'');
    auto value = has_quotes ? quoted(text) : bare(text);
    if (!value) return false;
    file.values.insert_or_assign(std::string(name), std::move(*value));
    return true;
}
}

Dotenv parse_dotenv(std::string_view text) {
    Dotenv file;
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    for (int number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#') continue;
        if (!take(line, file)) file.odd_lines.push_back(number);
    }
    return file;
}
}
