// What a stored run keeps beside its ticks: who asked it, its input, and the options that another process goes on with,
// perhaps in another folder. No key is in it and no command of a tool server, and what only this process shows or
// records is not kept.
//
//     run_options.stored = write_kept_run(options, "ollama:llama3.2", "react", {{"text", question}});
//     const auto kept = read_kept_run(row);                   // of a RunRow
//     Setup setup(options_of(kept, "weft.db"), note);
#pragma once
#include "engine/store.hpp"
#include "workflows/catalog/options.hpp"
#include <nlohmann/json.hpp>

namespace weft::catalog {
struct KeptOptions {
    std::string model, base_url;  // the model by its full name, whoever chose it
    std::string database, tools, system, dialect, template_file, memory_file, web_hosts, schema_file, prices_file;
    std::vector<std::string> fallbacks;
    agents::Budget budget;
    bool restart = false, summarise = false, whole_replies = false, fallback = true, parallel = false;
    int max_steps = 0, context_tokens = 0;
    std::optional<double> temperature;
    std::optional<std::int64_t> timeout_ms;  // since the run was made
    std::string approve, allow, deny;
    tools::PermissionMode permission = tools::PermissionMode::ask;
    bool writes_database = false;
    std::vector<std::string> mcp;  // what tool servers are called here: never how they are reached
    bool no_prompt_cache = false;
    static constexpr std::string_view optional_fields[] = {"approve",         "allow", "deny",           "permission",
                                                           "writes_database", "mcp",   "no_prompt_cache"};
};
BOOST_DESCRIBE_STRUCT(KeptOptions, (),
                      (model, base_url, database, tools, system, dialect, template_file, memory_file, web_hosts,
                       schema_file, prices_file, fallbacks, budget, restart, summarise, whole_replies, fallback,
                       parallel, max_steps, context_tokens, temperature, timeout_ms, approve, allow, deny, permission,
                       writes_database, mcp, no_prompt_cache))
struct KeptRun {
    std::string command, workflow;
    nlohmann::json input;
    KeptOptions options;
    std::string handler;  // the id that clients of a server know the run by; empty: no server has begun it
    static constexpr std::string_view optional_fields[] = {"handler"};
};
BOOST_DESCRIBE_STRUCT(KeptRun, (), (command, workflow, input, options, handler))

/// As JSON. Names of files are made absolute. Throws Error{usage} for an option that is no UTF-8, and what a base URL
/// with a password in it is refused with.
std::string write_kept_run(const AgentOptions&, const std::string& model, std::string_view workflow,
                           const nlohmann::json& input, const std::string& handler = {});
/// Whoever could write the store may have written anything: Error{journal} for what no run keeps, and Error{usage} for
/// a run that was not started by a driver.
KeptRun read_kept_run(const storage::RunRow&);
AgentOptions options_of(const KeptRun&, const std::string& store_file);
}
