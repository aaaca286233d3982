// `weft prompt` and `weft parse`: the two halves of a dialect, without a model.
#include "engine/json.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/options.hpp"
#include "steps/models/chat_model.hpp"
#include "steps/models/thought_filter.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/preview_dialect.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/input_lines.hpp"

namespace weft::driver {
namespace {
using nlohmann::json;

ExitCode print_prompt(const Choices& choices) {
    agents::Conversation conversation;
    conversation.question = repair_utf8(choices.question.value());
    agents::check_question(conversation.question);
    const catalog::ProcessResources process(choices.agent, note);
    catalog::RunResources here(process);
    const agents::CurrentReasoning nothing;
    const auto& options = here.react_options();
    const PreviewDialect shown(here);
    const auto messages = shown.dialect().prompt({.conversation = conversation,
                                                  .reasoning = nothing,
                                                  .tools = shown.tools(),
                                                  .system = options.system,
                                                  .max_steps = options.max_steps});
    if (choices.show.json) {
        say_json(to_json(messages));
        return ExitCode::ok;
    }
    for (const auto& message : messages) {
        say("--- " + to_json(message.role).get<std::string>() + " ---");
        say(message.content);
    }
    return ExitCode::ok;
}

constexpr std::size_t longest_reply = 4 << 20;
json text_or_null(const std::string& text) { return text.empty() ? json() : json(text); }
ExitCode parse(const Choices& choices) {
    const catalog::ProcessResources process(choices.agent, note);
    catalog::RunResources here(process);
    const PreviewDialect shown(here);
    const auto text = read_all(longest_reply);
    const auto parser = shown.dialect().parser_for(shown.tools());
    models::ChatReply sent;
    if (text) sent.text = *text;
    models::part_thoughts(sent);  // models do the same before they send
    parser->feed(sent.text, {});
    auto reply = parser->finish({});
    if (!text) {
        reply.kind = agents::ReplyKind::error;
        reply.error = "the reply is longer than " + std::to_string(longest_reply >> 20) + " MB";
    }
    const auto between = sent.reasoning.empty() || reply.thought.empty() ? "" : "\n";
    json line = {{"kind", "error"},   {"thought", text_or_null(repair_utf8(sent.reasoning) + between + reply.thought)},
                 {"action", nullptr}, {"action_input", nullptr},
                 {"answer", nullptr}, {"error", nullptr}};
    switch (reply.kind) {
    case agents::ReplyKind::action:
        line["kind"] = "action";
        line["action"] = reply.action;
        line["action_input"] = to_json(JsonText{reply.action_input});
        break;
    case agents::ReplyKind::answer:
        line["kind"] = "answer";
        line["answer"] = reply.answer;
        break;
    case agents::ReplyKind::error: line["error"] = reply.error; break;
    }
    say_json(line);
    return ExitCode::ok;
}
constexpr auto about_parse =
    R"(The object has kind (action, answer or error), thought, action, action_input, answer and error; missing parts
are null. The exit code is 0 for all three kinds.

  printf 'Thought: I add.\nAction: add\nAction Input: {"a": 1, "b": 2}' | weft parse --dialect react
)";
}

DriverCommand prompt_command() {
    using enum OptionGroup;
    return {"prompt",
            "print the first messages that the agent would send, without a model",
            {question, database, prompt, tool_options, tool_servers, system, dialect, dialect_parts, messages},
            print_prompt};
}
DriverCommand parse_command() {
    return {"parse",
            "show how the agent reads a model's reply from standard input, as JSON",
            {OptionGroup::dialect},
            parse,
            about_parse};
}
}
