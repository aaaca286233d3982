// Finds JSON objects in a text that says other things around them: in code fences, between words, after a draft.
//
//     auto found = find_json(reply, [&](const nlohmann::json& object) {
//         return object.contains("summary") ? "" : "the key \"summary\" is missing";   // what is wrong with it
//     });
//     found.error;        // empty, or a sentence for the model: why no object is the one
//
//     ObjectFinder finder(reply);     // all of them, one after the other
//     while (auto object = finder.next()) if (object->ok()) use(object->json);
//
// An object begins where a brace is followed by a name and a colon, by a comment, or by its end; other braces are text,
// and so are those between the quotes of an object. It is read as lenient_json.hpp reads it. The search goes on behind
// an object that was read or that nests too deeply, and inside of one that is broken: there only until it has looked
// six times at each character on average, so that the work is linear.
#pragma once
#include "steps/agents/text/lenient_json.hpp"
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace weft::agents {
struct JsonInText {
    std::string error;
    std::size_t examined = 0;  // characters, so that a test can show that the work is linear
    bool ok() const { return error.empty(); }
};
using FindMistake = std::function<std::string(const nlohmann::json& object)>;
/// The first object without a mistake, an outer one before those in it. If there is none, the error is about the
/// object that comes closest. A text of more than 1 MB is refused.
JsonInText find_json(std::string_view text, const FindMistake& find_mistake);

class ObjectFinder {
public:
    struct Found {
        std::size_t begin = 0, end = 0;  // in the text
        std::string json, error;         // the one or the other; places in the error count from the object's begin
        bool is_unclosed = false;        // the text ends before the object does
        bool is_too_deep = false;
        bool ok() const { return error.empty(); }
    };
    explicit ObjectFinder(std::string_view text) : text_(text) {}
    /// The next object, also one that cannot be read. Nothing if there is no more.
    std::optional<Found> next();
    std::size_t examined() const { return examined_; }  // characters

private:
    bool begins_object(std::size_t brace);
    Found read(std::size_t brace);
    std::size_t end_of_deep(std::size_t at);
    std::string_view text_;
    std::size_t position_ = 0, examined_ = 0;
};
}
