// Fills four templates. Examples are made from the tools, and their values are placeholders, because a model may repeat
// the values of an example.
#include "steps/agents/reflect/prompts.hpp"
#include "engine/text/hanging_indent.hpp"
#include "steps/agents/reflect/sub_answers.hpp"
#include "steps/agents/reflect/templates.hpp"
#include "steps/agents/text/cut_text.hpp"
#include "tools/registry.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::agents::inline reflect_steps {
namespace {
constexpr std::size_t least_part = 400;  // minimum bytes of a cut answer or faulty reply
constexpr auto assistants_section = R"(
AVAILABLE ASSISTANTS
- decomposition: Divides a hard question into sub-questions, has each answered, and gives a summary of the
  answers. Only for questions that a few calls of tools cannot answer. Argument: question (string)
)";
constexpr auto answer_line = "- final_answer: Ends the work. The argument is the whole answer to the question that was "
                             "asked, in its language. Argument: answer (string)";

std::string type_of(const nlohmann::json& schema) {
    const auto type = schema.find("type");
    return type != schema.end() && type->is_string() ? type->get<std::string>() : "see its schema";
}
std::string argument_of(const nlohmann::json& schema) {
    const auto properties = schema.find("properties");
    if (properties == schema.end() || properties->empty()) return "null";
    const auto one = properties->begin();
    if (properties->size() == 1 && type_of(*one) != "object") return one.key() + " (" + type_of(*one) + ")";
    return "an object by this schema: " + schema.dump();
}
std::string list(const tools::Registry& registry) {
    std::string out;
    for (const auto& tool : registry.all()) {
        out += (out.empty() ? "- " : "\n- ") + tool->name() + ": " + hanging(tool->description(), "  ");
        if (!out.ends_with('.')) out += '.';
        out += " Argument: " + argument_of(tool->schema());
    }
    return out.empty() ? "(none: answer from what you know)" : out;
}
const ReflectTemplates& templates_of(const ReflectOptions& options) {
    static const ReflectTemplates usual;
    return options.templates ? *options.templates : usual;
}
/// Fills the template; the user's instructions stand at their place, or at the end.
std::string fill(const PromptTemplate& form, PlaceValues values, const ReflectOptions& options) {
    values.emplace_back("system", options.system);
    auto prompt = form.render(values);
    if (!options.system.empty() && !form.has("system")) (prompt += "\n\n") += options.system;
    return prompt;
}

std::size_t parameters(const tools::Tool& tool) {
    const auto properties = tool.schema().find("properties");
    return properties == tool.schema().end() ? 0 : properties->size();
}
std::string placeholder(const tools::Tool& tool) { return "<" + tool.schema()["properties"].begin().key() + ">"; }
/// Examples for a tool without an argument, a tool with an argument, and a query, as far as such tools exist, and for
/// the final answer. The values are placeholders, because a model may repeat the values of an example.
std::vector<ActionExample> examples_from(const tools::Registry& registry) {
    std::vector<ActionExample> examples;
    const auto& tools = registry.all();
    const auto add = [&](std::string about, const auto& found, std::string argument) {
        examples.push_back({std::move(about), (*found)->name(), {std::move(argument)}});
    };
    const auto is_query = [](const auto& tool) { return tool->name() == "sql_db_query"; };
    const auto none = std::find_if(tools.begin(), tools.end(), [](const auto& t) { return !parameters(*t); });
    if (none != tools.end()) add("A tool without an argument", none, "null");
    const auto one = std::find_if(tools.begin(), tools.end(),
                                  [&](const auto& t) { return parameters(*t) == 1 && !is_query(t); });
    if (one != tools.end()) add("A tool with an argument", one, nlohmann::json(placeholder(**one)).dump());
    const auto query = std::find_if(tools.begin(), tools.end(), is_query);
    if (query != tools.end()) add("A query", query, R"("SELECT <columns> FROM <table> WHERE <condition>")");
    examples.push_back({"The final answer", std::string(final_answer), {R"("<the whole answer>")"}});
    return examples;
}
std::string text_of(const std::vector<ActionExample>& examples) {
    std::string out;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const auto& [about, request, argument] = examples[i];
        const bool is_json = nlohmann::json::accept(argument.text);
        out += (i ? "\n" : "") + std::to_string(i + 1) + ". " + about +
               ": {\"request\": " + nlohmann::json(request).dump() +
               ", \"argument\": " + (is_json ? argument.text : nlohmann::json(argument.text).dump()) + "}";
    }
    return out;
}
}

std::string reflection_prompt(const OfferedActions& offer, const ReflectOptions& options) {
    const auto tools = list(offer.tools);
    return fill(templates_of(options).reflection,
                {{"tools", tools},
                 {"assistants", offer.decomposition ? assistants_section : ""},
                 {"an_assistant", offer.decomposition ? "the assistant, " : ""},
                 {"actions", answer_line}},
                options);
}
std::string action_prompt(const OfferedActions& offer, const ReflectOptions& options, std::string_view question,
                          std::string_view context) {
    const auto tools = list(offer.tools);
    const auto examples = text_of(options.examples ? options.examples(question, context) : examples_from(offer.tools));
    return fill(templates_of(options).action,
                {{"tools", tools},
                 {"assistants", offer.decomposition ? assistants_section : ""},
                 {"an_assistant", offer.decomposition ? "the assistant, " : ""},
                 {"assistant_name", offer.decomposition ? "decomposition " : ""},
                 {"actions", answer_line},
                 {"examples", examples}},
                options);
}
std::string decomposition_prompt(const tools::Registry& registry, const ReflectOptions& options) {
    const auto tools = list(registry), most = std::to_string(ReflectOptions::max_sub_questions);
    return fill(templates_of(options).decomposition, {{"most", most}, {"tools", tools}}, options);
}
std::string summary_prompt(const ReflectOptions& options) { return fill(templates_of(options).summary, {}, options); }

models::Message question_message(std::string_view question, const GrowingContext& context) {
    auto message = models::user("QUESTION\n");
    auto& text = message.content;
    (text += question) += "\n\nCONTEXTUAL INFORMATION\n";
    message.joints.push_back(text.size());
    for (const auto end : context.ends) message.joints.push_back(text.size() + end);
    text += context.text.empty() ? "(none: nothing was asked before, and nothing was done yet)" : context.text;
    return message;
}
std::string answers_text(std::string_view question, const std::vector<SubAnswer>& answers, std::size_t bytes) {
    const auto part = std::max(least_part, answers.empty() ? bytes : bytes / answers.size());
    std::string out = "QUESTION\n";
    out += question;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto n = std::to_string(i + 1);
        out += "\n\nSUBQUESTION " + n + '\n' + answers[i].question.text + "\nANSWER " + n + '\n' +
               cut_text(told(answers[i]), part);
    }
    return out;
}
std::vector<models::Message> messages_for(std::string prompt, models::Message message,
                                          const std::vector<FaultyReply>& faults, std::size_t bytes) {
    std::vector<models::Message> messages{models::instruction(std::move(prompt)), std::move(message)};
    for (const auto& fault : faults) {
        messages.push_back(models::assistant(fault.reply.empty() ? "(an empty reply)"
                                                                 : cut_text(fault.reply, std::max(least_part, bytes))));
        messages.push_back(
            models::user("ERROR >> This reply could not be followed: " + fault.error +
                         ". Nothing was done. Reply with one valid JSON object in the form that was asked "
                         "for, and with nothing else."));
    }
    return messages;
}
}
