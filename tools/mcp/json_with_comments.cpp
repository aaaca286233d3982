// Blanks of the same length replace comments and commas, so that an error names the right position in the file.
#include "tools/mcp/json_with_comments.hpp"
#include "engine/text/quotes.hpp"
#include "engine/text/text.hpp"

namespace weft::tools::mcp {
namespace {
/// The end of a comment that begins at this position; `at` if none begins.
std::size_t end_of_comment(std::string_view text, std::size_t at) {
    const auto begin = text.substr(at, 2);
    if (begin != "//" && begin != "/*") return at;
    const auto end = begin == "//" ? text.find('\n', at) : text.find("*/", at + 2);
    if (end == text.npos) return begin == "//" ? text.size() : at;  // a comment without an end stays, and is refused
    return begin == "//" ? end : end + 2;
}
}

std::string without_comments(std::string_view text) {
    std::string plain(text);
    constexpr auto none = std::string::npos;
    auto comma = none;  // position; only blanks and comments follow it
    for (std::size_t at = 0; at < text.size();) {
        if (const auto end = end_of_comment(text, at); end != at) {
            for (; at < end; ++at)
                if (text[at] != '\n') plain[at] = ' ';
        } else if (text[at] == '"') {
            at = after_quotes(text, at);
            comma = none;
        } else {
            const char c = text[at];
            if ((c == ']' || c == '}') && comma != none) plain[comma] = ' ';
            if (!is_blank(c)) comma = c == ',' ? at : none;
            ++at;
        }
    }
    return plain;
}
}
