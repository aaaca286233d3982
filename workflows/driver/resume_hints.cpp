// The commands come from the store, as for `weft show`: no engine executes the run by then.
#include "workflows/driver/resume_hints.hpp"
#include "engine/core/loop/children.hpp"
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include "engine/replay.hpp"
#include "engine/storage/answer.hpp"
#include "engine/terminal.hpp"
#include "workflows/catalog/answer_types.hpp"
#include "workflows/catalog/mcp_servers.hpp"
#include "workflows/catalog/open_store.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/catalog/stored_run_options.hpp"
#include "workflows/driver/shell_commands.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/exit_code.hpp"
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
storage::History load(const catalog::AgentOptions& options, const std::string& run) {
    const auto opened = catalog::open_store(options.store_file, SqliteAccess::visitor);
    return history_of(*opened.store, run);
}
/// The options that `weft resume` does not take from the store (workflows/driver/commands/resume.cpp).
std::string said_again(const catalog::AgentOptions& options) {
    std::string more;
    if (options.writes_database) more += " --db-write";
    if (!options.allow.empty()) more += " --allow " + shell_quoted(options.allow);
    if (options.permission == tools::PermissionMode::yes) more += " --yes";
    if (options.permission == tools::PermissionMode::automatic) more += " --permission auto";
    for (const auto& word : options.mcp) {
        const auto name = catalog::name_of_servers(word);
        // A command or an address may contain a key.
        more += " --mcp " + (name.starts_with('/') ? shell_quoted(name) : name + "=...");
    }
    return more;
}
/// The number of the last tick before the failed step's ticks.
std::uint64_t tick_before_failure(const storage::History& history) {
    const auto ticks = journal::read_entries(history);
    auto at = ticks.size();
    const auto is_of_failure = [](const journal::JournalEntry& entry) {
        using enum journal::TickKind;
        const auto* tick = std::get_if<journal::TickRecord>(&entry.record);
        return tick && (tick->kind == failed || tick->kind == ended || tick->kind == due);
    };
    while (at > 1 && is_of_failure(ticks[at - 1])) --at;
    return ticks.at(at - 1).number;
}
}

bool has_mail(Store& store, const std::string& run, QuestionId question) {
    constexpr auto no_ticks = std::numeric_limits<std::uint64_t>::max();
    std::vector<storage::Mail> mail;
    try {
        mail = storage::answer_of<storage::History>([&](auto then) {
                   store.load(run, std::move(then), no_ticks);
               }).mail;
    } catch (const Error&) { return false; }
    return journal::has_cancel(mail) || std::ranges::any_of(mail, [&](const storage::Mail& each) {
               const auto record = journal::read_mail(each.body);
               if (!record || !record->question) return record.has_value();
               if (!record->question->is_number_unsigned()) return false;
               const auto child = record->run.value_or("");
               const auto path = child.is_string() ? child.get<std::string>() : std::string();
               return core::id_in_root(path, QuestionId(record->question->get<std::uint64_t>())) == question;
           });
}
bool was_cancelled(const catalog::AgentOptions& options, const std::string& run) {
    try {
        return load(options, run).run.status == RunStatus::cancelled;
    } catch (const Error&) { return false; }
}
std::string commands_for(const catalog::AgentOptions& options, const std::string& run) {
    std::string commands;
    try {
        const auto history = load(options, run);
        const catalog::AnswerTypes types(history.run.workflow);
        for (const auto& question : catalog::describe(history, journal::read_entries(history), false).questions)
            if (!question.answered)
                for (const auto& command : answer_commands(run, options.store_file, question, types))
                    commands += command + '\n';
    } catch (const Error&) {}  // `weft resume` reports the fault
    return commands + resume_command(run, options.store_file, said_again(options)) + '\n';
}
std::string commands_after(const Error& error, const catalog::AgentOptions& options, const std::string& run) {
    const auto exit = exit_of(error);
    const bool has_failed = dynamic_cast<const RunError*>(&error) &&
                            (exit == ExitCode::model || exit == ExitCode::failed);
    if (!has_failed || run.empty() || options.store_file.empty()) return {};
    try {
        const auto history = load(options, run);
        if (history.run.status != RunStatus::failed) return {};  // the run can continue: only this process has failed
        return "weft: a failed run is over; this command makes a new run that ends before the failed step, and "
               "`weft resume` continues that, with another --model or --base-url if necessary\n" +
               shell_command("fork", run, " --at " + std::to_string(tick_before_failure(history)), options.store_file) +
               '\n';
    } catch (const Error&) { return {}; }  // the driver has reported the run's error
}
std::string resume_command_of(Store& store, const std::string& run, const std::string& file) {
    std::string more;
    try {
        const auto kept = catalog::read_stored_run_options(history_of(store, run).run);
        auto options = catalog::options_of(kept, file);
        for (const auto& name : kept.options.mcp) options.mcp.push_back(name.starts_with('/') ? name : name + "=");
        more = said_again(options);
    } catch (const Error&) {}  // `weft resume` reports the fault
    return resume_command(run, file, more);
}
std::string interrupted_sentence(const catalog::AgentOptions& options, const std::string& run) {
    return "interrupted: the run stays in its store; continue it with: " +
           resume_command(run, options.store_file, said_again(options));
}
}
