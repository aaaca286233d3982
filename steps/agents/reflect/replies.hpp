// Readers of a model's replies: pure functions of their text, which is repaired UTF-8. They do not throw; a mistake is
// a sentence for the model.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools {
class Tool;
}
namespace weft::agents::inline reflect_steps {
/// The reflection in a reply, without the label before it, the name of the next section after it, and invented
/// observations. A longer text than 8 KB is cut, with a mark.
std::string read_reflection(std::string_view reply);
/// The certain part of the reflection while the reply, without leading blanks, still arrives: any continuation begins
/// with it. Marks, blanks and capitals at the end are not certain, because they may belong to a section's name.
std::string_view certain_reflection(std::string_view so_far);

struct ActionReply {
    std::string request;
    nlohmann::json argument;
    std::string error;
};
/// The argument of a final answer is a string, and of a decomposition a question or null.
ActionReply read_action(std::string_view reply);
/// An argument for humans: a string without its quotes.
std::string bare_argument(const nlohmann::json&);

/// The arguments of a tool call. Null means no arguments. A value that is not an object becomes the tool's first
/// required parameter, or its first one.
nlohmann::json arguments_for(const tools::Tool*, const nlohmann::json& argument);

struct SubQuestionsReply {
    std::vector<std::string> sub_questions;  // each once, none empty
    std::string error;
};
SubQuestionsReply read_sub_questions(std::string_view reply);

struct SummaryReply {
    std::string summary, error;
};
SummaryReply read_summary(std::string_view reply);
}
