// The commands that only list: list, graph, schema, tools, scripts.
#include "engine/graph.hpp"
#include "engine/json.hpp"
#include "tools/registry.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/scripts.hpp"
#include "workflows/catalog/setup.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"
#include <CLI/CLI.hpp>

namespace weft::driver {
namespace {
using nlohmann::json;

void say_entry(std::string_view name, std::string_view text) {
    say(std::string(name) + std::string(name.size() < 22 ? 22 - name.size() : 1, ' ') + std::string(text));
}
Exit list_workflows(bool as_json) {
    auto all = json::array();
    for (const auto& entry : catalog::entries()) {
        if (as_json) all.push_back({{"name", entry.name}, {"description", entry.description}});
        else say_entry(entry.name, entry.description);
    }
    if (as_json) say_json(all);
    return Exit::ok;
}
Exit draw(const std::string& workflow, const std::string& format) {
    const auto graph = graph_of(catalog::find_workflow(workflow).outline());
    if (format == "mermaid") say_trusted(mermaid(graph));
    else if (format == "dot") say_trusted(dot(graph));
    else if (format == "json") say_trusted(graph_json(graph));
    else throw Error(Code::usage, "there is no format \"" + format + "\"; there are mermaid, dot, json");
    return Exit::ok;
}
json with_schema(const EventType& event) { return {{"event", event.name}, {"schema", schema(event)}}; }
Exit print_schema(const std::string& workflow) {
    const auto& entry = catalog::find_workflow(workflow);
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
    return Exit::ok;
}
Exit list_tools(bool as_json) {
    catalog::Setup setup(catalog::AgentOptions(), note);
    auto all = json::array();
    for (const auto& tool : setup.tools().all()) {
        if (as_json)
            all.push_back({{"name", tool->name()}, {"description", tool->description()}, {"schema", tool->schema()}});
        else say_entry(tool->name(), tool->description());
    }
    if (as_json) say_json(all);
    return Exit::ok;
}
/// For a shell of the POSIX kind.
std::string shell_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text)
        if (c == '\'') out += "'\\''";
        else out += c;
    return out + '\'';
}
std::string command_of(const models::Script& script) {
    return "weft " + script.workflow + (script.workflow == "react" ? " --dialect " + script.dialect : "") +
           " --model script:" + script.name + ' ' + shell_quoted(script.question);
}
Exit list_scripts(bool as_json) {
    auto all = json::array();
    for (const auto& script : catalog::bundled_scripts()) {
        if (as_json)
            all.push_back({{"name", script.name},
                           {"workflow", script.workflow},
                           {"dialect", script.dialect},
                           {"question", script.question},
                           {"expect", script.expect},
                           {"command", command_of(script)}});
        else say_entry(script.name, command_of(script));
    }
    if (as_json) say_json(all);
    return Exit::ok;
}
struct Choice {
    std::string workflow, format = "mermaid";
    bool as_json = false;
};
}

void add_lists(CLI::App& app, Action& action) {
    auto choice = std::make_shared<Choice>();
    const auto add = [&app, &action, choice](const char* name, const char* text, auto act) -> CLI::App& {
        auto& sub = *app.add_subcommand(name, text);
        sub.final_callback([&action, choice, act] { action = [choice, act] { return act(*choice); }; });
        return sub;
    };
    const auto takes_workflow = [choice](CLI::App& sub) -> CLI::App& {
        sub.add_option("WORKFLOW", choice->workflow, "its name; `weft list` lists them")->required()->type_name("");
        return sub;
    };
    const auto takes_json = [choice](CLI::App& sub) { sub.add_flag("--json", choice->as_json, "as JSON"); };
    takes_json(add("list", "list the workflows: weft run NAME runs any of them, and agents have a command of that name",
                   [](auto& c) { return list_workflows(c.as_json); }));
    takes_workflow(add("graph", "draw a workflow", [](auto& c) { return draw(c.workflow, c.format); }))
        .add_option("--format", choice->format, "mermaid (the default), dot or json")
        ->type_name("FORMAT");
    takes_workflow(add("schema", "print the JSON Schema of a workflow's start and stop events, and of its questions",
                       [](auto& c) { return print_schema(c.workflow); }));
    takes_json(add("tools", "list the tools that an agent can have", [](auto& c) { return list_tools(c.as_json); }));
    takes_json(add("scripts", "list the scripts that are built in, each with the command that follows it",
                   [](auto& c) { return list_scripts(c.as_json); }));
}
}
