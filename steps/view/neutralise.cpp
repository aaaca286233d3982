// What is hidden (engine/hidden.hpp) is shown by its code point, but for the two selectors that many emoji end with.
#include "steps/view/neutralise.hpp"
#include "engine/hidden.hpp"
#include "engine/utf8.hpp"

namespace weft::view {
namespace {
void show(std::string& out, std::uint32_t code) {
    static constexpr char hex[] = "0123456789ABCDEF";
    out += "<U+";
    for (int shift = code > 0xFFFFF ? 20 : code > 0xFFFF ? 16 : 12; shift >= 0; shift -= 4)
        out += hex[code >> shift & 15];
    out += '>';
}
/// Appends what can be shown now, and returns what needs more text.
std::string_view append(std::string& out, std::string_view text, bool last) {
    while (!text.empty()) {
        std::uint32_t code = 0;
        bool cut = false;
        const auto length = decode_utf8(text, code, cut);
        if ((cut || (text.size() == 1 && code == '\r')) && !last) return text;
        if (!length) out += "\xEF\xBF\xBD";
        else if (code == '\r' && text.size() > 1 && text[1] == '\n') {  // the line break alone
        } else if (is_hidden(code) && code != 0xFE0E && code != 0xFE0F) show(out, code);
        else out.append(text.substr(0, length));
        text.remove_prefix(length ? length : 1);
    }
    return {};
}
}

std::string neutralise(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    append(out, text, true);
    return out;
}
std::string Neutraliser::put(std::string_view piece) {
    held_ += piece;
    std::string out;
    const std::string rest(append(out, held_, false));
    held_ = rest;
    return out;
}
std::string Neutraliser::end() {
    std::string out;
    append(out, held_, true);
    held_.clear();
    return out;
}
}
