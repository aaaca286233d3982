// The commands can be pasted as they are, so what stands for an answer is valid, and grants nothing: false, 0, "...".
#include "workflows/driver/leaving.hpp"
#include "engine/event_json.hpp"
#include "engine/json_run.hpp"
#include "workflows/driver/answers.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/store.hpp"
#include <filesystem>
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
using nlohmann::json;

std::string store_of(const catalog::AgentOptions& options) {
    const auto file = std::filesystem::absolute(options.store_file).lexically_normal();
    return " --store " + shell_quoted(file.string());
}
json placeholder(const json& form) {
    if (const auto values = form.find("enum"); values != form.end() && !values->empty()) return values->front();
    const auto type = form.value("type", json());
    if (type == "boolean") return false;
    if (type == "integer" || type == "number") return 0;
    if (type == "string") return "...";
    if (type == "array") return json::array();
    return type == "object" ? json::object() : json();
}
json fields_to_fill(const EventType& answer) {
    const auto form = schema(answer);
    auto data = json::object();
    for (const auto& name : form.value("required", json::array()))
        data[name.get<std::string>()] = placeholder(form.at("properties").at(name.get<std::string>()));
    return data;
}
}

std::string resume_command(const catalog::AgentOptions& options, const std::string& run) {
    return "weft resume " + shell_quoted(run) + store_of(options);
}
std::vector<std::string> answer_commands(const catalog::AgentOptions& options, const JsonRun& run,
                                         const AnyEvent& question) {
    std::vector<std::string> commands;
    for (const auto* type : answers_to(run, question))
        commands.push_back("weft answer " + shell_quoted(run.id()) + " --event " + std::string(type->name) +
                           " --json " + shell_quoted(ascii(fields_to_fill(*type))) + store_of(options));
    return commands;
}
std::string interrupted_sentence(const catalog::AgentOptions& options, const std::string& run) {
    return "interrupted: the run stays in its store, and this goes on with it: " + resume_command(options, run);
}
}
