// Joins the two halves of a UTF-16 pair that a server has cut between two chunks, each broken JSON by itself.
//
//     if (const auto whole = with_carried_halves(json)) use(*whole);     // a half is carried by a character
//     std::string room;
//     text += halves.pass(delta, room);       // HalfPairs: two halves in a row are one character again
//     text += halves.rest();                  // at the end of the text
//
// A half at the beginning or end of a string becomes a character of the last 2048 of the private use plane 16, which
// nobody uses for text; elsewhere it has no other half, and becomes U+FFFD. So does a carried half that stays alone.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace weft::models {
/// The JSON text with each half carried. None if there is no half.
std::optional<std::string> with_carried_halves(std::string_view json);
/// The same for a whole text.
std::string joined_halves(std::string text);

class HalfPairs {
public:
    /// Mostly the delta itself; else a view of `room`. A first half at its end waits for the second.
    std::string_view pass(std::string_view delta, std::string& room);
    std::string rest();

private:
    std::string held_;
};
}
