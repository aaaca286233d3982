// Joins the two halves of a UTF-16 pair that a server has split between two chunks, each malformed JSON by itself.
//
//     if (const auto whole = with_carried_halves(json)) use(*whole);     // a carrier character in place of each half
//     std::string room;
//     text += halves.pass(delta, room);       // LoneSurrogates: two halves in a row are one character again
//     text += halves.rest();                  // at the end of the text
//
// A half at the beginning or end of a string becomes a carrier: one of the last 2048 characters of private use plane
// 16, which texts do not use. A half elsewhere and a carrier without its other half become U+FFFD.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace weft::models {
/// Returns the JSON text with a carrier for each half; nullopt if there is none.
std::optional<std::string> with_carried_halves(std::string_view json);
/// Joins the carriers of a complete text.
std::string joined_halves(std::string text);

class LoneSurrogates {
public:
    /// Returns the delta itself or a view of `room`. A first half at the end waits for the second.
    std::string_view pass(std::string_view delta, std::string& room);
    bool holds() const noexcept { return !held_.empty(); }
    std::string rest();

private:
    std::string held_;
};
}
