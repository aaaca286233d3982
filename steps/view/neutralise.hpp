// Text that others wrote, made harmless for terminals and text files: models and tools say anything.
//
//     std::cout << neutralise(answer.response) << '\n';
//     Neutraliser plain;                                  // the same for a text that comes in pieces
//     write(plain.put(piece)); ... write(plain.end());
//
// What stays: printable text, line breaks and tabs. What is made visible: control characters (escape sequences begin
// with one, so none survives), the eight-bit controls, text direction overrides, characters without width, tags,
// separators that are line breaks to some. Bytes that are no UTF-8 become U+FFFD. A carriage return before a line break
// is dropped.
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
