// A hidden character (engine/text/hidden.hpp) is shown by its code point.
#include "steps/view/neutralise.hpp"
#include "engine/text/utf8.hpp"

namespace weft::view {
namespace {
void show(std::string& out, std::uint32_t code) {
    static constexpr char hex[] = "0123456789ABCDEF";
    out += "<U+";
    for (int shift = code > 0xFFFFF ? 20 : code > 0xFFFF ? 16 : 12; shift >= 0; shift -= 4)
        out += hex[code >> shift & 15];
    out += '>';
}
/// Appends the decided part of the text, and returns the part that needs more text.
std::string_view append(std::string& out, HiddenFinder& finder, std::string_view text, bool last) {
    while (!text.empty()) {
        std::uint32_t code = 0;
        bool cut = false;
        const auto length = decode_utf8(text, code, cut);
        if ((cut || (text.size() == 1 && code == '\r')) && !last) return text;
        if (!length) out += "\xEF\xBF\xBD";
        else if (code == '\r' && text.size() > 1 && text[1] == '\n') {  // keeps only the line break
        } else if (finder.is_hidden_here(code)) show(out, code);
        else out.append(text.substr(0, length));
        text.remove_prefix(length ? length : 1);
    }
    return {};
}
}

std::string neutralise(std::string_view text, bool ascii_joins) {
    std::string out;
    out.reserve(text.size());
    HiddenFinder finder(ascii_joins);
    append(out, finder, text, true);
    return out;
}
std::string Neutraliser::put(std::string_view piece) {
    held_ += piece;
    std::string out;
    held_ = std::string(append(out, finder_, held_, false));
    return out;
}
std::string Neutraliser::end() {
    std::string out;
    append(out, finder_, held_, true);
    held_.clear();
    finder_ = HiddenFinder();
    return out;
}
}
