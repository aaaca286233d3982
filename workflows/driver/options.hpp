// The options of all commands, a row for each: what the help says of it, how its value is checked, and where it goes.
//
//     {input, "--input", "JSON|@FILE", "the start event", text<&Choices::input>},
//     agent_row<&AgentOptions::model>(model, "MODEL", "PROVIDER:NAME, script:NAME, or a bare name"),
//
// The flag of the second kind stands in the table of the catalogue (workflows/catalog/options.hpp).
// A row belongs to a group, and a command names the groups that it takes (commands.hpp), in the order of its help.
// The table is in options.cpp; command_line.hpp reads a command line by it.
#pragma once
#include "workflows/catalog/options.hpp"
#include "workflows/driver/session.hpp"

namespace weft::driver {
struct Option;

/// Of the commands on stored runs.
struct StoredChoices {
    std::string store, run, event, json = "{}", question, id, file;
    std::vector<std::string> runs, statuses, workflows;
    int limit = 1000;
    std::optional<std::chrono::seconds> older_than;
    bool dry_run = false, damaged = false;
    int at = 0;                                              // a tick
    std::vector<std::pair<std::string, std::string>> slots;  // by name, as JSON
};
/// Of the command that serves.
struct ServeChoices {
    std::string host = "127.0.0.1", workflows, token_file, certificate, key, debugger;
    std::vector<std::string> hosts, origins;
    int port = 8080, max_runs = 1000, max_mib = 512, max_requests = 0;
    bool no_auth = false, accept_values = false;
    std::string http;  // of `weft mcp`: HOST:PORT; empty: standard input and output
};
/// Of `weft worker`, and of runs that are detached.
struct WorkerChoices {
    int slots = 50, priority = 0;
    std::string queues, workflows, metrics_file, queue;
    std::chrono::milliseconds lease = std::chrono::seconds(10);
    bool detach = false;
};
/// Of commands that ask a server.
struct RemoteChoices {
    std::string server, token_file;
};
/// What a command line has chosen. A command reads of it what its options set.
struct Choices {
    catalog::AgentOptions agent;
    Show show;
    StoredChoices stored;
    ServeChoices serve;
    RemoteChoices remote;
    WorkerChoices worker;
    std::optional<std::string> question;  // the words of it, joined
    std::string workflow, tool, arguments, input = "{}", format = "mermaid";
    std::vector<const Option*> given;  // in the order of the command's help
};

enum class Group {
    // what stands without a name
    question_or_none,
    question,
    workflow,
    agent,
    tool,
    run_id,
    run_or_newest,
    run_ids,
    export_file,
    // of an agent
    model,
    other_model,
    database,
    prompt,
    approving,
    writing,
    web,
    tool_servers,
    tool_servers_output,
    system,
    calling,
    spending,
    memory,
    timeout,
    values,
    dialect,
    dialect_parts,
    schema,
    reflecting,
    // of one command, or a few
    sample_database,
    input,
    format,
    // of stored runs
    keeping,
    store,
    run_filter,
    answering,
    pruning,
    forking,
    detaching,
    // of a worker
    working,
    // of a server
    serving,
    serving_mcp,
    remote,
    // what is shown
    result,
    quiet,
    details,
    events,
    both_results,
    messages,
    as_json,
};

/// What becomes of the value of an option.
struct Value {
    void (*set)(Choices&, const std::string&);  // may throw Error{usage}; a flag's text is empty
    /// Empty if it fits; else what the sentence says after the option's name. Null: everything fits.
    std::string (*mistake)(const std::string&) = nullptr;
    enum class Times { once, repeated, flag } times = Times::once;
    bool required = false;
};

struct Option {
    Group group;
    const char* name;        // "--quiet,-q"; without "--" it is told by its place
    const char* value_name;  // in the help; empty where there is none
    std::string help;
    Value value;
    const char* excludes = nullptr;  // the name of one that cannot be given together with it
};
const std::vector<Option>& options();
}
