#include "steps/react/utf8.hpp"

namespace weft::steps {
namespace {
struct Form {
    std::size_t length;                     // 0: no sequence begins with this byte
    unsigned char low = 0x80, high = 0xBF;  // of the second byte: no surrogates, no longer form than needed
};
Form form(unsigned char first) noexcept {
    if (first < 0x80) return {1};
    if (first < 0xC2) return {0};
    if (first < 0xE0) return {2};
    if (first == 0xE0) return {3, 0xA0};
    if (first == 0xED) return {3, 0x80, 0x9F};
    if (first < 0xF0) return {3};
    if (first == 0xF0) return {4, 0x90};
    if (first < 0xF4) return {4};
    if (first == 0xF4) return {4, 0x80, 0x8F};
    return {0};
}
/// How many bytes of the text fit the sequence that its first byte announces.
std::size_t fitting(std::string_view text, const Form& f) noexcept {
    std::size_t n = 1;
    for (; n < f.length && n < text.size(); ++n) {
        const auto byte = static_cast<unsigned char>(text[n]);
        if (byte < (n == 1 ? f.low : 0x80) || byte > (n == 1 ? f.high : 0xBF)) break;
    }
    return n;
}
}

std::size_t utf8_length(std::string_view text) noexcept {
    if (text.empty()) return 0;
    const auto f = form(static_cast<unsigned char>(text[0]));
    return f.length && fitting(text, f) == f.length ? f.length : 0;
}
std::size_t utf8_cut_tail(std::string_view text) noexcept {
    for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        const auto tail = text.substr(text.size() - back);
        const auto f = form(static_cast<unsigned char>(tail[0]));
        if (f.length) return f.length > back && fitting(tail, f) == back ? back : 0;
    }
    return 0;
}
std::string utf8_valid(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto n = utf8_length(text);
        if (n) out.append(text.substr(0, n));
        else out.append("\xEF\xBF\xBD");
        text.remove_prefix(n ? n : 1);
    }
    return out;
}
void utf8_append(std::string& text, char32_t code) {
    const auto put = [&text](char32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (code < 0x80) return put(code);
    if (code < 0x800) return put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
    if (code < 0x10000) return put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
    put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
}
}
