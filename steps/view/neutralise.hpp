// Makes text of models and tools harmless for terminals and text files.
//
//     std::cout << neutralise(answer.response) << '\n';
//     Neutraliser plain;                                  // the same for pieces of a text
//     write(plain.put(piece)); ... write(plain.end());
// Unchanged: printable text, line breaks and tabs, joiners and selectors that belong to a letter or an emoji
// (engine/text/hidden.hpp). Made visible: control characters (escape sequences begin with one,
// so none survives), the eight-bit controls, text direction overrides, characters without width, tags, separators that
// some programs treat as line breaks. Bytes that are not UTF-8 become U+FFFD. A carriage return before a line break is
// dropped.
#pragma once
#include "engine/text/hidden.hpp"
#include <string>
#include <string_view>

namespace weft::view {
/// Without `ascii_joins`, a joiner behind an ASCII letter becomes visible, too: for text that a person approves.
std::string neutralise(std::string_view text, bool ascii_joins = true);

class Neutraliser {
public:
    std::string put(std::string_view piece);
    std::string end();

private:
    HiddenFinder finder_;
    std::string held_;  // the incomplete beginning of a character, or a carriage return
};
}
