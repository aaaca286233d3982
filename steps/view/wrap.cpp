// wcwidth depends on the locale, so this thread uses a UTF-8 one during the calls.
#include "steps/view/wrap.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <locale.h>
#include <wchar.h>

namespace weft::view {
namespace {
/// While an object exists, this thread knows the width of every character, in any locale of the user.
class Unicode {
public:
    Unicode() {
        if (locale()) before_ = ::uselocale(locale());
    }
    ~Unicode() {
        if (before_) ::uselocale(before_);
    }
    Unicode(const Unicode&) = delete;
    std::size_t width(wchar_t code) const {
        const int columns = before_ ? ::wcwidth(code) : 1;
        return columns < 0 ? 1 : static_cast<std::size_t>(columns);
    }

private:
    static locale_t locale() {
        static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);  // null: not available
        return utf8;
    }
    locale_t before_ = nullptr;
};
struct DisplayCharacter {
    std::string_view bytes;
    std::size_t columns;
};
/// Returns the first character of a valid UTF-8 text.
DisplayCharacter first_of(std::string_view text, const Unicode& unicode) {
    std::uint32_t code = 0;
    bool cut = false;
    const auto length = decode_utf8(text, code, cut);
    return {text.substr(0, length), code < 0x80 ? 1 : unicode.width(static_cast<wchar_t>(code))};
}
std::string without_tabs(std::string_view line, const Unicode& unicode) {
    std::string out;
    for (std::size_t column = 0; !line.empty();) {
        const auto next = first_of(line, unicode);
        line.remove_prefix(next.bytes.size());
        if (next.bytes == "\t") {
            out.append(8 - column % 8, ' ');
            column += 8 - column % 8;
        } else {
            out += next.bytes;
            column += next.columns;
        }
    }
    return out;
}
/// Returns the part of a line that fits: up to a blank, else as many characters as fit, at least one.
std::string_view fitting(std::string_view line, std::size_t room, const Unicode& unicode) {
    std::size_t columns = 0, blank = 0, at = 0;
    while (at < line.size()) {
        const auto next = first_of(line.substr(at), unicode);
        if (next.bytes == " " && at && line[at - 1] != ' ') blank = at;
        columns += next.columns;
        if (columns > room && next.bytes != " ") return line.substr(0, blank ? blank : std::max(at, next.bytes.size()));
        at += next.bytes.size();
    }
    return line;
}
void wrap_line(std::vector<std::string>& lines, std::string_view original, std::size_t first, std::size_t columns,
               const Unicode& unicode) {
    const auto text = without_tabs(original, unicode);
    std::string_view rest = text;
    const auto indent = std::min({rest.find_first_not_of(' '), rest.size(), columns / 2});
    rest.remove_prefix(indent);
    for (auto room = first;; room = columns) {
        const auto part = fitting(rest, room > indent ? room - indent : 1, unicode);
        rest.remove_prefix(part.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        auto& line = lines.emplace_back(indent, ' ') += part;
        line.erase(line.find_last_not_of(' ') + 1);
        if (rest.empty()) return;
    }
}
}

std::vector<std::string> wrap(std::string_view text, Columns width) {
    const auto columns = std::max<std::size_t>(width.columns, 2);
    const auto valid = repair_utf8(text);
    const Unicode unicode;
    std::vector<std::string> lines;
    for (std::string_view rest = valid;;) {
        const auto end = std::min(rest.find('\n'), rest.size());
        wrap_line(lines, rest.substr(0, end), lines.empty() ? std::min(width.first, columns) : columns, columns,
                  unicode);
        if (end == rest.size()) return lines;
        rest.remove_prefix(end + 1);
    }
}
std::size_t columns_of(std::string_view line) {
    const auto valid = repair_utf8(line);
    const Unicode unicode;
    std::size_t columns = 0;
    for (std::string_view rest = valid; !rest.empty();) {
        const auto next = first_of(rest, unicode);
        columns += next.columns;
        rest.remove_prefix(next.bytes.size());
    }
    return columns;
}
}
