// Finds the JSON object that was asked for in a reply of a model: between prose, in a code fence, after a draft.
//
//     auto found = find_json(reply, [&](const nlohmann::json& object) {
//         return object.contains("summary") ? "" : "the key \"summary\" is missing";   // what is wrong with it
//     });
//     found.error;        // empty, or a sentence for the model: why no object is the one
//
// The first object that has no mistake wins, an outer one before those in it. Braces in strings are text; an object is
// read as lenient_json.hpp reads it. Prose with braces, an object that never closes or is broken, one that is
// something else: each is passed over. Replies of more than 1 MB are refused; no reply costs more than a fixed number
// of looks at each of its characters.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace weft::agents {
struct JsonInText {
    std::string error;
    std::size_t examined = 0;  // characters, so that a test can show that the work is linear
    bool ok() const { return error.empty(); }
};
using FindMistake = std::function<std::string(const nlohmann::json& object)>;
JsonInText find_json(std::string_view text, const FindMistake& find_mistake);
}
