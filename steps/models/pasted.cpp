// Most invisible characters come from web pages and chats, where a key is copied with its surroundings.
#include "steps/models/pasted.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/hidden.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>

namespace weft::models {
namespace {
bool is_quote(std::uint32_t code) {
    return code == '\'' || code == '"' || code == '`' || code == '<' || code == '>' ||
           (code >= 0x2018 && code <= 0x201F) || code == 0xAB || code == 0xBB;
}
bool is_wrapping(std::uint32_t code) {
    const bool blank = code <= ' ' || code == 0x7F || code == 0xA0 || (code >= 0x2000 && code <= 0x200F) ||
                       code == 0x202F || code == 0x205F || code == 0x2060 || code == 0x3000 || code == 0xFEFF;
    return is_quote(code) || blank || is_hidden(code);
}
std::size_t first_size(std::string_view text, std::uint32_t& code) {
    bool cut = false;
    return text.empty() ? 0 : decode_utf8(text, code, cut);
}
/// Returns the size of the last character; 0 if the text does not end with a valid one.
std::size_t last_size(std::string_view text, std::uint32_t& code) {
    for (std::size_t size = 1; size <= std::min<std::size_t>(4, text.size()); ++size)
        if (first_size(text.substr(text.size() - size), code) == size) return size;
    return 0;
}
std::string_view unwrapped(std::string_view text) {
    std::uint32_t code = 0;
    for (std::size_t size; (size = first_size(text, code)) != 0 && is_wrapping(code);) text.remove_prefix(size);
    for (std::size_t size; (size = last_size(text, code)) != 0 && is_wrapping(code);) text.remove_suffix(size);
    return text;
}
/// Also removes punctuation at the end, behind or before a quote.
std::string_view without_tail(std::string_view text, std::string_view tails) {
    for (std::size_t size = 0; size != text.size();) {
        size = text.size();
        text = trimmed_end(unwrapped(text), tails);
    }
    return text;
}
/// Returns the value if the text sets a variable with such a name, as in a file, a shell or a program.
std::string_view without_name(std::string_view text, std::initializer_list<std::string_view> ends) {
    auto line = text;
    for (std::string_view word : {"export ", "set ", "$env:"})
        if (equal_ignoring_case(line.substr(0, word.size()), word)) line = unwrapped(line.substr(word.size()));
    const auto at = std::min(line.find('='), line.find(": "));
    if (at == line.npos || line.substr(at + 1).starts_with('=')) return text;
    const auto name = lower(unwrapped(line.substr(0, at)));
    const auto is_of_name = [](char c) { return is_lower(c) || is_digit(c) || c == '_'; };
    const auto value = unwrapped(line.substr(at + 1));
    const bool named = std::all_of(name.begin(), name.end(), is_of_name) && !value.empty() &&
                       std::any_of(ends.begin(), ends.end(), [&](auto end) { return name.ends_with(end); });
    return named ? value : text;
}
std::string number_of(std::uint32_t code) {
    char text[16];
    std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(code));
    return text;
}
std::string describe(std::uint32_t code, std::string_view character) {
    if (code == '\n' || code == '\r') return "a line break (" + number_of(code) + ")";
    if (code == ' ' || code == '\t') return "a blank (" + number_of(code) + ")";
    if (is_quote(code)) return "a quotation mark (" + number_of(code) + ")";
    if (is_wrapping(code)) return "an invisible character (" + number_of(code) + ")";
    return "the character " + std::string(character) + " (" + number_of(code) + ")";
}
}

std::string_view pasted_address(std::string_view text) {
    text = without_name(without_tail(text, ",;."), {"url", "host", "base", "endpoint"});
    const auto link = text.find("](");  // a Markdown link: [text](address)
    if (text.starts_with('[') && link != text.npos) text = trimmed_end(text.substr(link + 2), ")");
    return without_tail(text, ",;.");
}
std::string_view pasted_key(std::string_view text) {
    text = without_tail(text, ",;");
    for (std::string_view comment : {" #", "\t#"})
        if (const auto at = text.find(comment); at != text.npos) text = without_tail(text.substr(0, at), ",;");
    text = without_name(text, {"key"});
    for (std::string_view name : {"authorization:", "x-api-key:", "x-goog-api-key:", "api-key:", "bearer "})
        if (equal_ignoring_case(text.substr(0, name.size()), name)) text = unwrapped(text.substr(name.size()));
    return text;
}
void refuse_odd(std::string_view text, std::string_view source, std::string_view kind) {
    std::size_t characters = 0;
    for (auto rest = text; !rest.empty(); ++characters) {
        std::uint32_t code = 0;
        const auto size = first_size(rest, code);
        if (code > 0x7E || code < ' ' || size == 0 || (code == ' ' && kind == "address"))
            throw Error(Code::configuration,
                        std::string(source) + " has " +
                            (size ? describe(code, rest.substr(0, size)) : std::string("bytes that are not text")) +
                            " after " + std::to_string(characters) + " characters, which no " + std::string(kind) +
                            " has: set it again");
        rest.remove_prefix(size);
    }
}
}
