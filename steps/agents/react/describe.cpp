// Prints the options from their JSON form, so a new option needs no line here.
#include "steps/agents/react/describe.hpp"
#include "engine/json.hpp"

namespace weft::agents::inline react_steps {
namespace {
constexpr auto row_indent = "  ";

std::string indented(std::string_view text, std::string_view by) {
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        if (end > at) (out += by) += text.substr(at, end - at);
        out += '\n';
        at = end + 1;
    }
    return out;
}
/// Objects in objects have a line for each value: "sampling.seed: 7".
void list_values(std::string& out, const std::string& name, const nlohmann::json& value) {
    if (value.is_object())
        for (const auto& [key, inner] : value.items()) list_values(out, name.empty() ? key : name + '.' + key, inner);
    else if (value.is_string() && value.get_ref<const std::string&>().find('\n') != std::string::npos)
        out += row_indent + name + ":\n" + indented(value.get_ref<const std::string&>(), "    | ");
    else out += row_indent + name + ": " + (value.is_null() ? "(not set)" : value.dump()) + '\n';
}
std::string describe_tools(const tools::Registry& tools) {
    std::string out = "tools: " + std::to_string(tools.all().size()) + '\n';
    int n = 0;
    for (const auto& tool : tools.all())
        out += row_indent + std::to_string(++n) + ". " + tool->name() + '\n' + indented(tool->description(), "     ") +
               "     arguments: " + tool->schema().dump() + '\n';
    return out;
}
std::string list_places(const PromptTemplate& form) {
    std::string out = "places:";
    for (const auto& place : form.places()) out += " {" + place + '}';
    return out + '\n';
}
}

std::string describe_agent(const AgentParts& agent) {
    std::string out = "workflow: " + std::string(agent.workflow) + "\ndialect: " + std::string(agent.dialect.name()) +
                      "\nmodel: " + (agent.model.empty() ? "(none is chosen)" : agent.model) + "\narguments:\n";
    list_values(out, "", to_json(agent.options));
    out += describe_tools(agent.tools);
    if (const auto* form = agent.dialect.prompt_template())
        out += "template:\n" + indented(form->text(), "  | ") + list_places(*form);
    out += "parser:\n";
    if (const auto replies = agent.dialect.reply_form(); !replies.empty()) out += indented(replies, row_indent);
    out += std::string(row_indent) + "a reply ends before:";
    const auto stop = agent.dialect.stop();
    for (const auto& text : stop) out += ' ' + nlohmann::json(text).dump();
    return out + (stop.empty() ? " nothing but its end\n" : "\n");
}
}
