// The options of the reflect agent. A resource, shared by all runs.
#pragma once
#include "engine/json/text.hpp"
#include "steps/agents/common/options.hpp"
#include <functional>
#include <string_view>

namespace weft::agents::inline reflect_steps {
class ReflectTemplates;
/// An example of an action for the model. It should not contain the answer to a possible question.
struct ActionExample {
    std::string about;  // "a tool without an argument"
    std::string request;
    JsonText argument;
};

/// max_steps is the number of turns for the question, and for each sub-question.
struct ReflectOptions : ReactOptions {
    static constexpr std::size_t max_sub_questions = 3;  // per decomposition; more are left out
    int max_decompositions = 2;                          // per run
    bool parallel = false;                               // sub-questions run side by side, without others' results
    bool remember_sub_answers = true;                    // adds sub-questions with their answers to the memory
    std::size_t max_context = 128 << 10;                 // bytes of the run's past in a prompt
    std::shared_ptr<const ReflectTemplates> templates;   // null: the usual prompts
    /// Chooses the examples for a question and its context. Without the function they are made from the tools. Examples
    /// that depend on the context change the beginning of the prompt, so a provider cannot read the prompt from its
    /// cache.
    std::function<std::vector<ActionExample>(std::string_view question, std::string_view context)> examples;
};
}
