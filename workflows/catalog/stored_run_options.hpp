// Data of a stored run beside its ticks: its command, its input, and the options that another process needs to resume
// it, perhaps in another folder. Keys, commands of tool servers, and options for the output or recordings of one
// process are not kept.
//
//     run_options.stored = write_stored_run_options(options, "ollama:llama3.2", "react", {{"text", question}});
//     const auto kept = read_stored_run_options(row);                   // from a RunRow
//     const ProcessResources process(options_of(kept, "weft.db"), note);
#pragma once
#include "engine/store.hpp"
#include "workflows/catalog/options.hpp"
#include <nlohmann/json.hpp>

namespace weft::catalog {
struct StoredRunOptions {
    std::string command, workflow;
    nlohmann::json input;
    AgentOptions options;  // the stored ones; with the model's full name, and only the names of tool servers
    std::string handler;   // the id of the run for clients of a server; empty: not started by a server
};

/// Writes JSON, with absolute names of files. Throws Error{usage} for an option that is not UTF-8, and the error of a
/// base URL with a password.
std::string write_stored_run_options(const AgentOptions&, const std::string& model, std::string_view workflow,
                                     const nlohmann::json& input, const std::string& handler = {});
/// Checks everything, because a store is untrusted. Throws Error{journal} for contents that weft never writes, and
/// Error{usage} for a run that the driver did not start.
StoredRunOptions read_stored_run_options(const storage::RunRow&);
AgentOptions options_of(const StoredRunOptions&, const std::string& store_file);
}
