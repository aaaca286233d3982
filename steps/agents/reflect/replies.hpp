// What the replies of a model say: pure functions of their text, which is repaired UTF-8. None throws; a mistake is a
// sentence for the model.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools {
class Tool;
}
namespace weft::agents::inline reflect_steps {
/// Without the label that may stand before it, without the words that a model adds where it would go on, and without
/// observations of its own invention. Nothing else is lost.
std::string read_reflection(std::string_view reply);
/// How much of it is certain while the reply, without blanks before it, still arrives: it begins with this, whatever
/// comes. No marks, blanks or capitals at the end, for these may belong to a section's word.
std::string_view certain_reflection(std::string_view so_far);

struct ActionReply {
    std::string request;
    nlohmann::json argument;
    std::string error;
};
/// A final answer has a text as its argument, and a decomposition a question or null.
ActionReply read_action(std::string_view reply);
/// An argument as a human would write it: a text without its quotes.
std::string bare_argument(const nlohmann::json&);

/// The object that a tool is called with. Null is no argument; what is no object belongs to the tool's first required
/// parameter, or to the only one.
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
