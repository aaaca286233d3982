// Consecutive messages of the same role are joined, since many models require alternating roles.
#include "steps/agents/react/dialects/prompt_parts.hpp"
#include "engine/text/hanging_indent.hpp"
#include "steps/agents/common/limits.hpp"

namespace weft::agents::inline react_steps {
namespace {
void say(std::vector<models::Message>& messages, models::Role role, std::string text) {
    if (messages.back().role == role)
        (messages.back().content += "\n\n") += text;  // many models require alternating roles
    else messages.push_back({role, std::move(text)});
}
void say_step(std::vector<models::Message>& messages, const ReasoningStep& step, std::string& note,
              const PromptWording& words) {
    const auto thought = step.thought.empty() || !words.thoughts ? "" : "Thought: " + step.thought + '\n';
    switch (step.kind) {
    case ReasoningKind::action:
        say(messages, models::Role::assistant, thought + words.call(step));
        note = step.note;
        return;
    case ReasoningKind::observation:
        if (!step.note.empty()) (note += note.empty() ? "" : " ") += step.note;
        say(messages, models::Role::user, with_note("Observation: " + step.text, note));
        note.clear();
        return;
    case ReasoningKind::answer: return say(messages, models::Role::assistant, thought + "Answer: " + step.text);
    case ReasoningKind::fault:
        say(messages, models::Role::assistant, step.reply.empty() ? "(an empty reply)" : step.reply);
        say(messages, models::Role::user,
            with_note("This reply could not be followed: " + step.text + ". Nothing was run. " +
                          std::string(words.forms),
                      step.note));
    }
}
}

std::string list_tools(const tools::Registry& registry) {
    std::string out;
    for (std::size_t i = 0; i < registry.all().size(); ++i) {
        const auto& tool = *registry.all()[i];
        if (i) out += '\n';
        (((out += "- ") += tool.name()) += ": ") += hanging(tool.description(), "  ");
        (out += "\n  arguments: ") += registry.schema_text(i);
    }
    return out.empty() ? "There are none: answer from what you know." : out;
}
std::string list_names(const tools::Registry& registry) {
    std::string out;
    for (const auto& tool : registry.all()) (out += out.empty() ? "" : ", ") += tool->name();
    return out.empty() ? "(there are none)" : out;
}
std::string closing_reason(const PromptInput& now) {
    if (!now.limit.empty()) return agents::closing_reason(now.limit);
    return agents::closing_reason(now.step < now.max_steps ? "repeated_calls" : "steps");
}
std::string with_note(std::string text, std::string_view note) {
    if (!note.empty()) (text += "\n\nNote: ") += note;
    return text;
}
std::string labelled_action(const ReasoningStep& step) {
    return "Action: " + step.tool + "\nAction Input: " + step.arguments.text;
}
std::vector<models::Message> conversation_prompt(const PromptTemplate& form, std::string_view tools,
                                                 const PromptInput& now, const PromptWording& words) {
    const auto tool_names = list_names(now.tools), max_steps = std::to_string(now.max_steps);
    auto header = form.render(
        {{"tools", tools}, {"tool_names", tool_names}, {"system", now.system}, {"max_steps", max_steps}});
    if (!form.has("system") && !now.system.empty()) (header += "\n\n") += now.system;
    const auto& history = now.conversation.history;
    std::vector<models::Message> messages;
    messages.reserve(history.size() + now.reasoning.size() + 3);
    messages.push_back(models::instruction(std::move(header)));
    messages.insert(messages.end(), history.begin(), history.end());
    messages.push_back(models::user(now.conversation.question));
    std::string note;
    for (const auto& step : now.reasoning) say_step(messages, step, note, words);
    if (now.closing) say(messages, models::Role::user, closing_reason(now) + std::string(words.closing));
    return messages;
}
}
