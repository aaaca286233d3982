// JSON that a program passes on unread, such as the arguments of a tool call. It is text in the struct and a value in
// the struct's JSON, so headers with events need no JSON library.
#pragma once
#include <string>

namespace weft {
/// Its JSON is the value in the text: an object, an array, a number, a boolean, null. Blanks and the order of keys may
/// change. Any other text (malformed, deeper than 32, with a repeated key, a number beyond 64 bits, a bare string) is
/// written as a JSON string with the text, and read back unchanged.
struct JsonText {
    std::string text;
    friend bool operator==(const JsonText&, const JsonText&) = default;
};
}
