// The engine creates the run and calls none of its steps, so it needs no model and opens no database.
#include "workflows/driver/commands/detached_run.hpp"
#include "engine/clock.hpp"
#include "engine/engine.hpp"
#include "engine/json_run.hpp"
#include "workflows/catalog/dialects.hpp"
#include "workflows/catalog/stored_run_options.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <algorithm>
#include <filesystem>
#include <string_view>

namespace weft::driver {
namespace {
/// The driver's own options for one run; those for agents are in the table of the catalogue.
constexpr std::string_view per_run_options[] = {"WORKFLOW",   "--input",    "--store", "--detach", "--queue",
                                                "--priority", "--quiet,-q", "--at",    "--in"};

bool is_per_run(std::string_view flag) {
    using enum catalog::OnWorker;
    return std::ranges::find(per_run_options, flag) != std::end(per_run_options) ||
           std::ranges::any_of(catalog::option_rows, [&](const catalog::OptionRow& row) {
               return row.flag == flag && (row.on_worker == chosen || row.on_worker == lower);
           });
}
void refuse_options_of_worker(const Choices& choices) {
    for (const auto* option : choices.given)
        if (!is_per_run(option->name))
            throw Error(Code::usage, std::string(option->name) +
                                         " is for the process that executes the run: give it to `weft worker`, and "
                                         "leave it out with --detach");
}
/// Opens the file as a visitor, because it may belong to a worker. Creates it if it does not exist.
catalog::OpenedStore open_beside(const std::string& name) {
    std::error_code failed;
    const bool is_there = catalog::is_store_file(name) && std::filesystem::exists(name, failed);
    return catalog::open_store(name, is_there ? SqliteAccess::visitor : SqliteAccess::engine);
}
}
void refuse_queue_options(const Choices& choices) {
    for (const auto* option : choices.given)
        for (const std::string_view name : {"--queue", "--priority"})
            if (option->name == name)
                throw Error(Code::usage, std::string(name) + " is for runs that a worker executes: add --detach");
}
ExitCode detach_run(const Choices& choices, const catalog::CatalogEntry& entry, const nlohmann::json& input) {
    refuse_options_of_worker(choices);
    if (choices.worker.queue.find(',') != std::string::npos)
        throw Error(Code::usage, "--queue takes the name of one queue, without a comma");
    auto agent = choices.agent;
    agent.command = "run";
    if (entry.has_dialect) catalog::check_dialect(agent.dialect);
    const auto opened = open_beside(store_name(choices));
    auto not_before = choices.worker.begin_at;
    if (choices.worker.begin_in) not_before = real_clock().wall() + *choices.worker.begin_in;
    const RunOptions how{.timeout = agent.timeout,
                         .values = catalog::values_of(agent),
                         .stored = catalog::write_stored_run_options(agent, {}, entry.name, input),
                         .queue = choices.worker.queue,
                         .priority = choices.worker.priority,
                         .not_before = not_before,
                         .detached = true};
    Engine engine({.store = opened.store.get()});
    const auto run = start_json(engine, entry.stored(), input, how);
    engine.wait(run.until_stored());
    say(run.id());
    return ExitCode::ok;
}
}
