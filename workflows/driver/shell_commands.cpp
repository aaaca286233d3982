// A placeholder for an answer is valid and grants nothing: false, 0, "...", the first of several words.
#include "workflows/driver/shell_commands.hpp"
#include "engine/event_json.hpp"
#include "workflows/catalog/answer_types.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
using nlohmann::json;

json value_to_fill(const json& form) {
    if (const auto values = form.find("enum"); values != form.end() && !values->empty()) return values->front();
    const auto type = form.value("type", json());
    if (type == "boolean") return false;
    if (type == "integer" || type == "number") return 0;
    if (type == "string") return "...";
    if (type == "array") return json::array();
    return type == "object" ? json::object() : json();
}
json answer_to_fill(const EventType& answer) {
    const auto form = schema(answer);
    auto data = json::object();
    for (const auto& name : form.value("required", json::array()))
        data[name.get<std::string>()] = value_to_fill(form.at("properties").at(name.get<std::string>()));
    return data;
}
}

std::string shell_command(const std::string& verb, const std::string& run, const std::string& more,
                          const std::string& store) {
    return in_one_line("weft " + verb + ' ' + shell_quoted(run) + more + " --store " +
                       shell_quoted(catalog::shown_store(store)));
}
std::string resume_command(const std::string& run, const std::string& store, const std::string& more) {
    return shell_command("resume", run, more, store);
}
std::vector<std::string> answer_commands(const std::string& run, const std::string& store,
                                         const catalog::ListedQuestion& question, const catalog::AnswerTypes& types) {
    const auto command = [&](std::string_view event, const std::string& data) {
        return shell_command("answer", run,
                             " --event " + std::string(event) + " --question " + shell_quoted(question.question) +
                                 " --json " + data,
                             store);
    };
    std::vector<std::string> commands;
    for (const auto* type : types.types_for(question.event))
        commands.push_back(command(type->name, shell_quoted(ascii(answer_to_fill(*type)))));
    if (commands.empty()) commands.push_back(command("EVENT", "JSON"));
    return commands;
}
}
