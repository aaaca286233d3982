// Compares the lines between a common beginning and end by their longest common subsequence; too large a change is
// shown as lines removed and added.
#include "steps/models/recording/line_diff.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace weft::models {
namespace {
using DiffLines = std::vector<DiffLine>;
constexpr std::size_t context_lines = 2, most_lines = 40, most_columns = 140;
constexpr std::size_t most_cells = 1'000'000;  // a larger change is shown as lines removed and added

struct Edit {
    char sign;  // ' ', '-', '+'
    const DiffLine* line;
};
/// Adds the edits of the lines between a common beginning and end, by their longest common subsequence.
void compare(const DiffLine* old, std::size_t n, const DiffLine* fresh, std::size_t m, std::vector<Edit>& edits) {
    if (n == 0 || m == 0 || n > most_cells / m) {
        for (std::size_t i = 0; i < n; ++i) edits.push_back({'-', old + i});
        for (std::size_t k = 0; k < m; ++k) edits.push_back({'+', fresh + k});
        return;
    }
    std::vector<std::uint32_t> table((n + 1) * (m + 1));
    const auto common = [&](std::size_t i, std::size_t k) -> std::uint32_t& { return table[i * (m + 1) + k]; };
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t k = m; k-- > 0;)
            common(i, k) = old[i] == fresh[k] ? common(i + 1, k + 1) + 1 : std::max(common(i + 1, k), common(i, k + 1));
    std::size_t i = 0, k = 0;
    while (i < n || k < m) {
        if (i < n && k < m && old[i] == fresh[k]) edits.push_back({' ', old + i}), ++i, ++k;
        else if (k == m || (i < n && common(i + 1, k) >= common(i, k + 1))) edits.push_back({'-', old + i++});
        else edits.push_back({'+', fresh + k++});
    }
}
std::vector<Edit> edits_between(const DiffLines& old, const DiffLines& fresh) {
    std::size_t begin = 0, end = 0;
    const auto shorter = std::min(old.size(), fresh.size());
    while (begin < shorter && old[begin] == fresh[begin]) ++begin;
    while (end < shorter - begin && old[old.size() - 1 - end] == fresh[fresh.size() - 1 - end]) ++end;
    std::vector<Edit> edits;
    for (std::size_t i = 0; i < begin; ++i) edits.push_back({' ', &old[i]});
    compare(old.data() + begin, old.size() - begin - end, fresh.data() + begin, fresh.size() - begin - end, edits);
    for (std::size_t i = old.size() - end; i < old.size(); ++i) edits.push_back({' ', &old[i]});
    return edits;
}
std::string escaped(std::string_view text) {
    std::string clean;
    for (const char c : repair_utf8(text)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7F) {
            clean += c;
            continue;
        }
        char code[8];
        std::snprintf(code, sizeof code, "\\x%02x", byte);
        clean += code;
    }
    return clean;
}
/// Returns a part of the text that fits, beginning shortly before `at`.
std::string cut(const std::string& text, std::size_t at) {
    if (text.size() <= most_columns) return text;
    constexpr std::size_t before = 30;
    std::size_t begin = at > before && at > most_columns / 2 ? at - before : 0;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    const auto part = utf8_cut(std::string_view(text).substr(begin), most_columns);
    return (begin ? "..." : "") + std::string(part) + (begin + part.size() < text.size() ? "..." : "");
}
/// Returns the first difference between a removed line and the line added in its place.
std::size_t first_difference(const std::vector<Edit>& edits, std::size_t at) {
    if (edits[at].sign == ' ') return 0;
    std::size_t begin = at;  // start of the group of removed and added lines
    while (begin > 0 && edits[begin - 1].sign != ' ') --begin;
    std::vector<const std::string*> sides[2];
    std::size_t own = 0;
    for (std::size_t i = begin; i < edits.size() && edits[i].sign != ' '; ++i) {
        auto& side = sides[edits[i].sign == '+'];
        if (i == at) own = side.size();
        side.push_back(&edits[i].line->text);
    }
    if (own >= sides[0].size() || own >= sides[1].size()) return 0;
    const auto &a = *sides[0][own], &b = *sides[1][own];
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}
}

std::string line_diff(const DiffLines& old, const DiffLines& fresh) {
    const auto edits = edits_between(old, fresh);
    std::vector<bool> wanted(edits.size());
    for (std::size_t i = 0; i < edits.size(); ++i)
        if (edits[i].sign != ' ')
            for (std::size_t k = i - std::min(i, context_lines); k < std::min(edits.size(), i + context_lines + 1); ++k)
                wanted[k] = true;
    std::string text;
    std::size_t shown = 0, left = 0;
    for (std::size_t i = 0; i < edits.size(); ++i) {
        if (!wanted[i]) continue;
        if (shown >= most_lines) {
            ++left;
            continue;
        }
        if (i == 0 || !wanted[i - 1]) text += "@@ " + cut(escaped(edits[i].line->place), 0) + " @@\n";
        text += edits[i].sign + cut(escaped(edits[i].line->text), first_difference(edits, i)) + "\n";
        ++shown;
    }
    if (left) text += "... and " + std::to_string(left) + " more lines\n";
    return text;
}
}
