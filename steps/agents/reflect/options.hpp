// How the reflect agent behaves. A resource, shared by all runs.
#pragma once
#include "engine/json/text.hpp"
#include "steps/agents/common/options.hpp"
#include <functional>
#include <string_view>

namespace weft::agents::inline reflect_steps {
class ReflectTemplates;
/// Shows a model what an action looks like. It should not hold an answer to anything that may be asked.
struct ActionExample {
    std::string about;  // "a tool without an argument"
    std::string request;
    JsonText argument;
};

/// max_steps are turns of each question: of the one asked, and of every sub-question.
struct ReflectOptions : ReactOptions {
    static constexpr std::size_t max_sub_questions = 3;  // per decomposition; more are left out
    int max_decompositions = 2;                          // per run
    bool parallel = false;                               // sub-questions side by side: none sees what another finds
    bool remember_sub_answers = true;                    // as if they had been asked by themselves
    std::size_t max_context = 128 << 10;                 // bytes of what has happened so far, as the model sees it
    std::shared_ptr<const ReflectTemplates> templates;   // prompts; null: the usual ones
    /// Chooses the examples for a question and what is known so far. Without it they are made from the tools. Examples
    /// that depend on the context change the beginning of the prompt, so a provider's cache reads nothing of it.
    std::function<std::vector<ActionExample>(std::string_view question, std::string_view context)> examples;
};
}
