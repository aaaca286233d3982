// Parses the escape sequences of keys and of a terminal's replies, so that none of their letters enters a line.
//
//     Escapes escapes;
//     for (const wchar_t key : escapes.pass(character)) ...      // keys for the editor, often none yet
// Returns arrows, Home, End, Delete and the start of a paste in the form of libedit, and Ctrl or Alt with an arrow as a
// motion by a word. Drops all other sequences whole.
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
        begun,  // state after ESC
        control,
        function_key,
        console_key,  // the Linux console's: ESC [ [ A
        text,         // a terminal's reply to a program, until BEL or ESC backslash
        text_ends,    // state after ESC
    };
    std::wstring begin(wchar_t c);
    std::wstring end(std::wstring keys);
    State state_ = State::outside;
    std::wstring parameters_;
};
}
