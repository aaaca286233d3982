// Parses the sequences of ECMA-48 and xterm. A line break or another control character ends an incomplete sequence. Alt
// with ] or P begins a text, as in a terminal's reply, which swallows keys up to its end. Alt with X, ^ or _ is a key:
// no terminal begins a text with these unless a program asks for it.
#include "workflows/driver/terminal/escapes.hpp"

namespace weft::driver {
namespace {
constexpr wchar_t escape = 0x1B, bell = 0x07;
constexpr const wchar_t *to_start = L"\x01", *to_end = L"\x05";
constexpr const wchar_t *word_left = L"\x1B\x62", *word_right = L"\x1B\x66", *delete_word = L"\x1B\x64";

/// Whether Ctrl, Alt or Meta is held: "1;5", or "5", which some terminals send before an arrow.
bool by_word(std::wstring_view parameters) {
    if (const auto at = parameters.find(L';'); at != parameters.npos) parameters.remove_prefix(at + 1);
    int held = 0;
    for (const wchar_t c : parameters) {
        if (c < L'0' || c > L'9' || held > 100) break;
        held = held * 10 + (c - L'0');
    }
    return held > 1 && ((held - 1) & (2 | 4 | 8)) != 0;  // 1 is Shift
}
std::wstring arrow_or_end(std::wstring_view parameters, wchar_t last) {
    switch (last) {
    case L'A':
    case L'B': return {escape, L'[', last};
    case L'C': return by_word(parameters) ? word_right : std::wstring{escape, L'[', last};
    case L'D': return by_word(parameters) ? word_left : std::wstring{escape, L'[', last};
    case L'H': return to_start;
    case L'F': return to_end;
    default: return {};
    }
}
std::wstring of_control(std::wstring_view parameters, wchar_t last) {
    if (parameters.find_first_not_of(L"0123456789;:") != parameters.npos) return {};  // a reply
    if (last != L'~') return arrow_or_end(parameters, last);
    const auto key = parameters.substr(0, parameters.find(L';'));
    if (key == L"1" || key == L"7") return to_start;
    if (key == L"4" || key == L"8") return to_end;
    if (key == L"3") return by_word(parameters.substr(1)) ? delete_word : L"\x1B[3~";
    return parameters == L"200" ? L"\x1B[200~" : L"";
}
std::wstring of_function_key(std::wstring_view parameters, wchar_t last) {
    if (last == L'c') return word_right;  // rxvt's Ctrl with an arrow
    if (last == L'd') return word_left;
    if (last == L'M') return L"\r";  // the keypad's Enter
    return arrow_or_end(parameters, last);
}
}

std::wstring Escapes::end(std::wstring keys) {
    state_ = State::outside;
    parameters_.clear();
    return keys;
}
std::wstring Escapes::begin(wchar_t c) {
    parameters_.clear();
    switch (c) {
    case escape: state_ = State::begun; return {};
    case L'[': state_ = State::control; return {};
    case L'O': state_ = State::function_key; return {};
    case L']':
    case L'P': state_ = State::text; return {};
    default: return end({escape, c});  // Alt with a key
    }
}
std::wstring Escapes::pass(wchar_t c) {
    if (state_ == State::outside && c != escape) return {c};
    if (state_ == State::begun) return begin(c);
    if (state_ == State::text_ends) return c == L'\\' ? end({}) : begin(c);
    if (c == escape) {
        state_ = state_ == State::text ? State::text_ends : State::begun;
        return {};
    }
    if (c < 0x20) return end(state_ == State::text && c == bell ? std::wstring() : std::wstring{c});
    if (state_ == State::text) return {};
    if (state_ == State::console_key) return end({});
    if (state_ == State::control && c == L'[' && parameters_.empty()) {
        state_ = State::console_key;
        return {};
    }
    if (c < 0x40) {
        if (parameters_.size() < 100) parameters_ += c;
        return {};
    }
    const bool controls = state_ == State::control;
    return end(controls ? of_control(parameters_, c) : of_function_key(parameters_, c));
}
}
