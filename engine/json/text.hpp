// JSON that a program passes on unread: the arguments of a tool call, say. It is text in the struct and a value in the
// struct's JSON, so nobody who declares an event has to include a JSON library.
#pragma once
#include <string>

namespace weft {
/// In JSON it is the value that the text says: an object, an array, a number, a boolean, null. Blanks and the order of
/// keys may change on the way. Text that says anything else (broken, deeper than 32, with a key twice, a number beyond
/// 64 bits, a bare string) is written as a JSON string that holds the very text, and comes back unchanged.
struct JsonText {
    std::string text;
    friend bool operator==(const JsonText&, const JsonText&) = default;
};
}
