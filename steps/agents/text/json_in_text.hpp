// Finds JSON objects in a text: in code fences, between words, after a draft.
//
//     auto found = find_json(reply, [&](const nlohmann::json& object) {
//         return object.contains("summary") ? "" : "the key \"summary\" is missing";   // the mistake in it
//     });
//     found.error;        // empty, or a sentence for the model: why no object fits
//
//     ObjectFinder finder(reply);     // all objects, one after the other
//     while (auto object = finder.next()) if (object->ok()) use(object->json);
//
// An object begins at a brace before a name and a colon, a comment, or the closing brace. Other braces are text, also
// braces in quotes. lenient_json.hpp reads the object. The search continues after a readable object and after one that
// nests too deeply, but inside a broken one. It ends there after six examinations of each character on average, so that
// the time is linear.
#pragma once
#include "steps/agents/text/lenient_json.hpp"
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace weft::agents {
struct JsonInText {
    std::string error;
    std::size_t examined = 0;  // number of characters, by which tests check that the time is linear
    bool ok() const { return error.empty(); }
};
using FindMistake = std::function<std::string(const nlohmann::json& object)>;
/// Finds the first object without a mistake, an outer object before its inner ones. If there is none, the error is
/// about the closest object. A text of more than 1 MB is refused.
JsonInText find_json(std::string_view text, const FindMistake& find_mistake);

class ObjectFinder {
public:
    struct FoundObject {
        std::size_t begin = 0, end = 0;  // in the text
        std::string json, error;         // exactly one has a text; places in the error count from the object's begin
        bool is_unclosed = false;        // the text ends inside the object
        bool is_too_deep = false;
        bool ok() const { return error.empty(); }
    };
    explicit ObjectFinder(std::string_view text) : text_(text) {}
    /// The next object, readable or not. Empty if there is no other.
    std::optional<FoundObject> next();
    std::size_t examined() const { return examined_; }  // number of characters

private:
    bool begins_object(std::size_t brace);
    FoundObject read(std::size_t brace);
    std::size_t end_of_deep(std::size_t at);
    std::string_view text_;
    std::size_t position_ = 0, examined_ = 0;
};
}
