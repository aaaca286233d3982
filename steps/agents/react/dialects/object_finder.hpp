// The JSON objects in a text that may say other things around them: in code fences, or between words.
//
//     ObjectFinder finder(text);
//     while (auto found = finder.next()) if (found->ok()) use(found->json);
//
// An object is where a brace is followed by a name and a colon; other braces are text. Inside of an object, what stands
// between quotes is text. One that cannot be read is told with what is wrong, and the search goes
// on inside of it a few times, then behind it, so that the work is linear.
#pragma once
#include "steps/agents/common/lenient_json.hpp"
#include <optional>

namespace weft::agents {
class ObjectFinder {
public:
    struct Found {
        std::size_t begin = 0, end = 0;  // in the text
        std::string json, error;         // the one or the other; places in the error count from the object's begin
        bool ok() const { return error.empty(); }
    };
    explicit ObjectFinder(std::string_view text) : text_(text) {}
    /// What begins at or behind the end of the last one. Nothing if there is no more.
    std::optional<Found> next();
    std::size_t examined() const { return examined_; }  // characters

private:
    bool is_object(std::size_t brace);
    std::string_view text_;
    std::size_t position_ = 0, examined_ = 0;
    int looks_inside_ = 4;
};
}
