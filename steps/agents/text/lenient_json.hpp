// Reads arguments in the loose JSON that models write, and rewrites them as strict JSON.
//
//     auto read = lenient_object("{'city': 'Paris', 'limit': 3,}  // the capital");
//     read.json;    // {"city":"Paris","limit":3}
//     read.error;   // empty, or a sentence for the model with the place and the cure
//
// The reader accepts single quotes and apostrophes between them ('it's'), three quotes, names without quotes,
// True/False/None, trailing commas, a missing comma between members, comments (//, /* */, #), line breaks in strings, a
// backslash that begins no escape (C:\Users, \d), doubled braces, and a code fence around the whole. A blank text, null
// and None are {}. It neither guesses nor loses data: a number out of range, a repeated name, a list in place of the
// object, an unfinished text, backslashes of which only some begin an escape, half a character and invalid UTF-8 are
// errors. One pass, which examines a character at most three times; at most 64 levels and 1 MB.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::agents {
constexpr std::size_t max_lenient_size = 1 << 20;
constexpr int max_lenient_depth = 64;

struct LenientJson {
    std::string json;
    std::string error;
    std::size_t end = 0;       // the position of the reader
    std::size_t examined = 0;  // number of characters, by which tests check that the time is linear
    bool has_rest = false;     // text after the object was ignored
    bool too_deep = false;     // the error is the depth
    bool ok() const { return error.empty(); }
};
/// Reads a text that is one object: text after it is an error.
LenientJson lenient_object(std::string_view text);
/// The same, but any text after the object is ignored: LenientJson::has_rest. A comment, and the end of a fence or of a
/// bold line, do not count as such text.
LenientJson lenient_input(std::string_view text);
/// The reason why the text after the object's `end` cannot be ignored: it may belong to the object, which a quote or a
/// brace inside a string ended too early. Null if it can be ignored. Linear.
const char* why_not_ignored(std::string_view text, std::size_t end);
/// Reads the object at the beginning; any text may follow it from `end` on.
LenientJson lenient_prefix(std::string_view text);
}
