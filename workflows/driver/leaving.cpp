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

/// In one line and without control characters, whatever a store that others have made holds.
std::string command_on(const std::string& run, const std::string& store, const std::string& verb,
                       const std::string& more = {}) {
    const auto file = std::filesystem::absolute(store).lexically_normal();
    return in_one_line("weft " + verb + ' ' + shell_quoted(run) + more + " --store " + shell_quoted(file.string()));
}
/// Empty for a question of a child run, which its own run has numbered.
std::string question_option(const AnyEvent& question) {
    constexpr auto of_a_child = std::uint64_t{1} << 63;
    const auto id = std::uint64_t(question.question());
    return id & of_a_child ? std::string() : " --question " + std::to_string(id);
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

std::string resume_command(const std::string& store, const std::string& run) {
    return command_on(run, store, "resume");
}
std::vector<std::string> answer_commands(const catalog::AgentOptions& options, const JsonRun& run,
                                         const AnyEvent& question) {
    std::vector<std::string> commands;
    for (const auto* type : answers_to(run, question))
        commands.push_back(command_on(run.id(), options.store_file, "answer",
                                      " --event " + std::string(type->name) + question_option(question) + " --json " +
                                          shell_quoted(ascii(fields_to_fill(*type)))));
    return commands;
}
std::string interrupted_sentence(const catalog::AgentOptions& options, const std::string& run) {
    return "interrupted: the run stays in its store, and this goes on with it: " +
           resume_command(options.store_file, run);
}
}
