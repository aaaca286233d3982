// What a stored run keeps beside its ticks: who asked it, its input, and the options that another process goes on with,
// perhaps in another folder. No key is in it and no command of a tool server, and what only this process shows or
// records is not kept.
//
//     run_options.stored = write_kept_run(options, "ollama:llama3.2", "react", {{"text", question}});
//     const auto kept = read_kept_run(row);                   // of a RunRow
//     const ProcessResources process(options_of(kept, "weft.db"), note);
#pragma once
#include "engine/store.hpp"
#include "workflows/catalog/options.hpp"
#include <nlohmann/json.hpp>

namespace weft::catalog {
struct KeptRun {
    std::string command, workflow;
    nlohmann::json input;
    AgentOptions options;  // the stored ones; the model by its full name, and of tool servers only what they are called
    std::string handler;   // the id that clients of a server know the run by; empty: no server has begun it
};

/// As JSON. Names of files are made absolute. Throws Error{usage} for an option that is no UTF-8, and what a base URL
/// with a password in it is refused with.
std::string write_kept_run(const AgentOptions&, const std::string& model, std::string_view workflow,
                           const nlohmann::json& input, const std::string& handler = {});
/// Whoever could write the store may have written anything: Error{journal} for what no run keeps, and Error{usage} for
/// a run that was not started by a driver.
KeptRun read_kept_run(const storage::RunRow&);
AgentOptions options_of(const KeptRun&, const std::string& store_file);
}
