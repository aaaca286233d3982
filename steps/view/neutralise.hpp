// Makes text of models and tools harmless for terminals and text files.
//
//     std::cout << neutralise(answer.response) << '\n';
//     Neutraliser plain;                                  // the same for a text that comes in pieces
//     write(plain.put(piece)); ... write(plain.end());
// Unchanged: printable text, line breaks and tabs. Made visible: control characters (escape sequences begin with one,
// so none survives), the eight-bit controls, text direction overrides, characters without width, tags, separators that
// some programs treat as line breaks. Bytes that are not UTF-8 become U+FFFD. A carriage return before a line break is
// dropped.
#pragma once
#include <string>
#include <string_view>

namespace weft::view {
std::string neutralise(std::string_view text);

class Neutraliser {
public:
    std::string put(std::string_view piece);
    std::string end();

private:
    std::string held_;  // the beginning of a character, or a carriage return
};
}
