// Consecutive messages of the same role are joined, since many models require alternating roles.
#include "steps/agents/react/dialects/prompt_parts.hpp"
#include "engine/text/hanging_indent.hpp"
#include "steps/agents/common/limits.hpp"

namespace weft::agents::inline react_steps {
namespace {
/// Returns the content of a message of that role, to which the caller appends: the last message's, or a new one's.
std::string& say(std::vector<models::Message>& messages, models::Role role) {
    if (messages.back().role == role) return messages.back().content += "\n\n";
    return messages.emplace_back(models::Message{.role = role}).content;
}
void append_note(std::string& text, std::string_view note) {
    if (!note.empty()) (text += "\n\nNote: ") += note;
}
/// Begins a message of the model with its thought.
std::string& say_thought(std::vector<models::Message>& messages, const ReasoningStep& step,
                         const PromptWording& words) {
    auto& text = say(messages, models::Role::assistant);
    text.reserve(text.size() + step.thought.size() + step.tool.size() + step.arguments.text.size() + step.text.size() +
                 64);
    if (!step.thought.empty() && words.thoughts) ((text += "Thought: ") += step.thought) += '\n';
    return text;
}
void say_step(std::vector<models::Message>& messages, const ReasoningStep& step, std::string& note,
              const PromptWording& words) {
    switch (step.kind) {
    case ReasoningKind::action:
        words.call(say_thought(messages, step, words), step);
        note = step.note;
        return;
    case ReasoningKind::observation: {
        if (!step.note.empty()) (note += note.empty() ? "" : " ") += step.note;
        auto& text = say(messages, models::Role::user);
        (text += "Observation: ") += step.text;
        append_note(text, note);
        note.clear();
        return;
    }
    case ReasoningKind::answer: (say_thought(messages, step, words) += "Answer: ") += step.text; return;
    case ReasoningKind::fault: {
        say(messages, models::Role::assistant) += step.reply.empty() ? "(an empty reply)" : step.reply;
        auto& text = say(messages, models::Role::user);
        (text += "This reply could not be followed: ") += step.text;
        (text += ". Nothing was run. ") += words.forms;
        append_note(text, step.note);
    }
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
    append_note(text, note);
    return text;
}
void labelled_action(std::string& out, const ReasoningStep& step) {
    (out += "Action: ") += step.tool;
    (out += "\nAction Input: ") += step.arguments.text;
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
    if (now.closing) (say(messages, models::Role::user) += closing_reason(now)) += words.closing;
    return messages;
}
}
