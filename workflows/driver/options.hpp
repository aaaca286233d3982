// The options of all commands, a row for each: its help, the check of its value, and the member that stores it.
//
//     {input, "--input", "JSON|@FILE", "the start event", text<&Choices::input>},
//     agent_row<&AgentOptions::model>(model, "MODEL", "PROVIDER:NAME, script:NAME, or a bare name"),
//
// The flag of the second kind is in the table of the catalogue (workflows/catalog/options.hpp).
// A row belongs to a group, and a command names the groups that it takes (commands.hpp), in the order of its help.
// The table is in options.cpp; command_line.hpp reads a command line by it.
#pragma once
#include "workflows/catalog/options.hpp"
#include "workflows/driver/session.hpp"

namespace weft::driver {
struct Option;

/// Options of the commands on stored runs.
struct StoredChoices {
    std::string store, run, event, json = "{}", question, id, file;
    std::vector<std::string> runs, statuses, workflows;
    int limit = 1000;
    std::optional<std::chrono::seconds> older_than;
    bool dry_run = false, damaged = false;
    int at = 0;                                              // a tick
    std::vector<std::pair<std::string, std::string>> slots;  // name and JSON text
};
/// Options of `weft serve` and `weft mcp`.
struct ServeChoices {
    std::string host = "127.0.0.1", workflows, token_file, certificate, key, debugger;
    std::vector<std::string> hosts, origins;
    int port = 8080, max_runs = 1000, max_mib = 512, max_requests = 0;
    bool no_auth = false, accept_values = false;
    std::string http;  // for `weft mcp`: HOST:PORT; empty: standard input and output
};
/// Options of `weft worker`, of detached runs, and of queues.
struct WorkerChoices {
    int slots = 50, priority = 0;
    std::string queues, workflows, metrics_file, queue, key, debounce;
    std::chrono::milliseconds lease = std::chrono::seconds(10);
    bool detach = false;
    std::optional<std::chrono::sys_time<std::chrono::microseconds>> begin_at;  // a detached run's
    std::optional<std::chrono::seconds> begin_in, longest;
    std::string batch;                       // a file with a run in each line; empty: none
    std::string action, running, per, rate;  // of `weft queue set`; empty: unchanged
    bool detaches() const { return detach || begin_at || begin_in || !batch.empty(); }
};
struct ModelLimitChoices {  // of `weft model`; empty: unchanged
    std::string action, model, requests, tokens, per;
};
/// Options of `weft schedule`.
struct ScheduleChoices {
    std::string action, name, workflow, cron, zone, missed = "last", overlap, queue = "default";
    std::optional<std::chrono::seconds> every, in, window;
    std::optional<std::chrono::sys_time<std::chrono::microseconds>> at;
};
/// Options of `weft init`.
struct ProjectChoices {
    std::string name;
    bool agent = false;
};
/// Options of commands that act on a server.
struct RemoteChoices {
    std::string server, token_file;
};
/// The options of a command line. A command reads those members that its options set.
struct Choices {
    catalog::AgentOptions agent;
    DisplayOptions show;
    StoredChoices stored;
    ServeChoices serve;
    RemoteChoices remote;
    WorkerChoices worker;
    ScheduleChoices schedule;
    ModelLimitChoices model_limit;
    ProjectChoices project;
    std::optional<std::string> question;  // its words, joined
    std::string workflow, tool, arguments, input = "{}", format = "mermaid";
    std::string topic, folder;         // of `weft man`; the topic is also the shell of `weft completion`
    std::vector<const Option*> given;  // order of the command's help
};

enum class OptionGroup {
    // positional arguments
    question_or_none,
    question,
    workflow,
    agent,
    tool,
    run_id,
    run_or_newest,
    run_ids,
    export_file,
    project,
    // options of agents
    model,
    other_model,
    database,
    prompt,
    approving,
    writing,
    tool_options,
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
    // options of one command, or a few
    sample_database,
    looking,
    input,
    format,
    man_page,
    shell,
    // options of stored runs
    keeping,
    store,
    run_filter,
    answering,
    signalling,
    pruning,
    forking,
    detaching,
    scheduling,
    // options of workers and queues
    working,
    queue_limits,
    model_limits,
    // options of servers
    serving,
    serving_mcp,
    remote,
    // output
    result,
    quiet,
    details,
    events,
    both_results,
    messages,
    as_json,
};

/// How an option's value is checked and stored.
struct OptionValue {
    void (*set)(Choices&, const std::string&);  // may throw Error{usage}; a flag's text is empty
    /// Returns "" for a valid value; else the message after the option's name. Null: all values are valid.
    std::string (*mistake)(const std::string&) = nullptr;
    enum class Times { once, repeated, flag } times = Times::once;
    bool required = false;
};

struct Option {
    OptionGroup group;
    const char* name;        // "--quiet,-q"; without "--" it is positional
    const char* value_name;  // name in the help, by which completion.cpp completes the value; may be empty
    std::string help;
    OptionValue value;
    const char* excludes = nullptr;  // the name of an option that cannot be given with this one
};
/// Whether it is given by its name; else it is positional.
inline bool is_named(const Option& row) { return row.name[0] == '-'; }
const std::vector<Option>& options();
}
