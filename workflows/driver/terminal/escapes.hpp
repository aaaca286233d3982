// Keys that a terminal sends as escape sequences, and its replies: a line has none of their letters.
//
//     Escapes escapes;
//     for (const wchar_t key : escapes.pass(character)) ...      // what the editor takes, often nothing yet
// Arrows, Home, End, Delete and the start of a paste come out as libedit knows them, Ctrl and Alt with an arrow as the
// motion by a word. Any other sequence is dropped whole, however it ends.
#pragma once
#include <string>
#include <string_view>

namespace weft::driver {
class Escapes {
public:
    std::wstring pass(wchar_t c);

private:
    enum class State {
        outside,
        begun,  // after ESC
        control,
        function_key,
        console_key,  // of Linux: ESC [ [ A
        text,         // of a terminal to a program, until BEL or ESC backslash
        text_ends,    // after ESC
    };
    std::wstring begin(wchar_t c);
    std::wstring end(std::wstring keys);
    State state_ = State::outside;
    std::wstring parameters_;
};
}
