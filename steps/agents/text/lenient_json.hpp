// Reads the arguments that a model wrote as JSON the way models write it, and rewrites them as strict JSON.
//
//     auto read = lenient_object("{'city': 'Paris', 'limit': 3,}  // the capital");
//     read.json;    // {"city":"Paris","limit":3}
//     read.error;   // empty, or a sentence for the model that says where and how to repair it
//
// Taken as they are meant: single quotes and apostrophes between them ('it's'), three quotes, names without quotes,
// True/False/None, trailing commas, a missing comma between members, comments (//, /* */, #), line breaks in strings, a
// backslash that begins no escape (C:\Users, \d), doubled braces, a code fence around the whole. Nothing, null or None
// is {}. Never guessed, and never lost: what cannot be read exactly - a number out of range, a name that occurs twice,
// a list in place of the object, text that ends too early, backslashes of which some begin an escape and some do not,
// half a character, invalid UTF-8 - is an error. One pass, with three looks at a character at most; at most 64 levels
// and 1 MB.
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
    std::size_t end = 0;       // where the reader has come to
    std::size_t examined = 0;  // characters, so that a test can show that the work is linear
    bool has_rest = false;     // something stands behind the object, and has been ignored
    bool too_deep = false;     // that is the error
    bool ok() const { return error.empty(); }
};
/// The text is one object: what stands behind it is an error.
LenientJson lenient_object(std::string_view text);
/// The same, but what stands behind the object is ignored, however long it is: LenientJson::has_rest. A comment, or
/// what closes a fence or a bold line, is no such rest.
LenientJson lenient_input(std::string_view text);
/// Why what stands behind the object, which ends there, cannot be ignored: it may be a part of it, as a quote or a
/// brace in the middle of a text would end it too early. Null if it can. Linear.
const char* why_not_ignored(std::string_view text, std::size_t end);
/// The object that the text begins with, whatever follows it from `end` on.
LenientJson lenient_prefix(std::string_view text);
}
