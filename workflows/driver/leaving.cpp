// The commands can be pasted as they are, so what stands for an answer is valid, and grants nothing: false, 0, "...".
#include "workflows/driver/leaving.hpp"
#include "engine/core/children.hpp"
#include "engine/event_json.hpp"
#include "engine/json_run.hpp"
#include "engine/terminal.hpp"
#include "workflows/catalog/open_store.hpp"
#include "workflows/catalog/stored_runs.hpp"
#include "workflows/driver/answers.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/exit_code.hpp"
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
    const auto id = question.question();
    return core::is_of_a_child(id) ? std::string() : " --question " + std::to_string(std::uint64_t(id));
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
/// The last one before those of the step that has failed.
std::uint64_t tick_before_failure(const storage::History& history) {
    const auto ticks = catalog::read_ticks(history);
    auto at = ticks.size();
    while (at > 1 && (ticks[at - 1].body.tick == "failed" || ticks[at - 1].body.tick == "ended" ||
                      ticks[at - 1].body.tick == "due"))
        --at;
    return ticks.at(at - 1).number;
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
std::string commands_after(const Error& error, const catalog::AgentOptions& options, const std::string& run) {
    const auto exit = exit_of(error.code());
    const bool has_failed = dynamic_cast<const RunError*>(&error) && (exit == Exit::model || exit == Exit::failed);
    if (!has_failed || run.empty() || options.store_file.empty()) return {};
    try {
        const auto opened = catalog::open_store(options.store_file, SqliteAccess::visitor);
        const auto history = catalog::load_run(*opened.store, run);
        if (history.run.status != RunStatus::failed) return {};  // it goes on: only this process has failed
        return "weft: a run that has failed is over; this begins another one in front of the step that failed, and "
               "`weft resume` goes on with it, with another --model or --base-url if need be\n" +
               command_on(run, options.store_file, "fork", " --at " + std::to_string(tick_before_failure(history))) +
               '\n';
    } catch (const Error&) { return {}; }  // its own error has been said
}
std::string interrupted_sentence(const catalog::AgentOptions& options, const std::string& run) {
    return "interrupted: the run stays in its store, and this goes on with it: " +
           resume_command(options.store_file, run);
}
}
