// Reads the arguments that a model wrote as JSON the way models write it, and says them again as strict JSON.
//
//     auto read = lenient_object("{'city': 'Paris', 'limit': 3,}  // the capital");
//     read.json;    // {"city":"Paris","limit":3}
//     read.error;   // empty, or a sentence for the model that says where and how to repair it
//
// Taken as they are meant: single quotes, names without quotes, True/False/None, trailing commas, comments (//, /* */,
// #), line breaks in strings, a code fence around the whole. Nothing, null or None is {}. Never guessed, and never
// lost: what cannot be read exactly - a number out of range, a key that occurs twice, text after the end, an unknown
// escape, invalid UTF-8 - is an error. One pass; at most 64 levels and 1 MB.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::steps {
struct LenientJson {
    std::string json;
    std::string error;
    std::size_t examined = 0;  // characters, so that a test can show that the work is linear
    bool ok() const { return error.empty(); }
};
LenientJson lenient_object(std::string_view text);
/// The object that the text begins with, whatever follows it: `examined` is where it ends.
LenientJson lenient_prefix(std::string_view text);
}
