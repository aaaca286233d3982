// The commands that only list: list, graph, schema, tools, scripts.
#include "engine/graph.hpp"
#include "engine/json.hpp"
#include "engine/text/hanging_indent.hpp"
#include "tools/registry.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/process_resources.hpp"
#include "workflows/catalog/scripts.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"

namespace weft::driver {
namespace {
using nlohmann::json;

void say_entry(std::string_view name, std::string_view text) {
    constexpr std::size_t column = 22;
    say(std::string(name) + std::string(name.size() < column ? column - name.size() : 1, ' ') +
        hanging(trimmed(text), std::string(column, ' ')));
}
ExitCode list_workflows(const Choices& choices) {
    auto all = json::array();
    for (const auto& entry : catalog::entries()) {
        if (choices.show.json) all.push_back({{"name", entry.name}, {"description", entry.description}});
        else say_entry(entry.name, entry.description);
    }
    if (choices.show.json) say_json(all);
    return ExitCode::ok;
}
ExitCode draw(const Choices& choices) {
    const auto& format = choices.format;
    const auto graph = graph_of(catalog::find_workflow(choices.workflow).outline());
    if (format == "mermaid") say_trusted(mermaid(graph));
    else if (format == "dot") say_trusted(dot(graph));
    else if (format == "json") say_trusted(graph_json(graph));
    else throw Error(Code::usage, "there is no format \"" + format + "\"; --format takes mermaid, dot or json");
    return ExitCode::ok;
}
json with_schema(const EventType& event) { return {{"event", event.name}, {"schema", schema(event)}}; }
ExitCode print_schema(const Choices& choices) {
    const auto& entry = catalog::find_workflow(choices.workflow, true);
    const auto& outline = entry.outline();
    auto asked = json::array();
    for (const auto& question : questions(outline)) {
        auto one = with_schema(*question.asks);
        one["answers"] = json::array();
        for (const auto* answer : question.answers) one["answers"].push_back(with_schema(*answer));
        asked.push_back(std::move(one));
    }
    const json all = {{"workflow", entry.name},
                      {"start", with_schema(start_event(outline))},
                      {"stop", with_schema(stop_event(outline))},
                      {"questions", std::move(asked)}};
    say_trusted(all.dump(2, ' ', true) + '\n');
    return ExitCode::ok;
}
ExitCode list_tools(const Choices& choices) {
    const catalog::ProcessResources process(choices.agent, note);
    auto all = json::array();
    for (const auto& tool : process.tools().all()) {
        if (choices.show.json)
            all.push_back({{"name", tool->name()}, {"description", tool->description()}, {"schema", tool->schema()}});
        else say_entry(tool->name(), tool->description());
    }
    if (choices.show.json) say_json(all);
    return ExitCode::ok;
}
std::string command_of(const models::Script& script) {
    return "weft " + script.workflow + (script.workflow == "react" ? " --dialect " + script.dialect : "") +
           " --model script:" + script.name + ' ' + shell_quoted(script.question);
}
ExitCode list_scripts(const Choices& choices) {
    auto all = json::array();
    for (const auto& script : catalog::bundled_scripts()) {
        if (choices.show.json)
            all.push_back({{"name", script.name},
                           {"workflow", script.workflow},
                           {"dialect", script.dialect},
                           {"question", script.question},
                           {"expect", script.expect},
                           {"command", command_of(script)}});
        else say_entry(script.name, command_of(script));
    }
    if (choices.show.json) say_json(all);
    return ExitCode::ok;
}
}

std::vector<DriverCommand> list_commands() {
    using enum OptionGroup;
    return {
        {"list",
         "list the workflows: `weft run NAME` runs one; agents also have a command of their name",
         {as_json},
         list_workflows},
        {"graph", "draw a workflow", {workflow, format}, draw},
        {"schema",
         "print the JSON Schema of a workflow's start and stop events, and of its questions",
         {workflow},
         print_schema},
        {"tools", "list the tools that an agent can have", {tool_servers, tool_servers_output, as_json}, list_tools},
        {"scripts", "list the built-in scripts, each with the command that uses it", {as_json}, list_scripts},
    };
}
}
