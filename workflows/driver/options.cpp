// The table of options, and functions that check and store their values. from_chars reads numbers: 010 is not 8.
#include "workflows/driver/options.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/catalog/dialects.hpp"
#include "workflows/driver/values.hpp"
#include <charconv>

namespace weft::driver {
namespace {
using catalog::AgentOptions;
using namespace kinds;

void add_slot(Choices& choices, const std::string& text) {
    const auto equals = text.find('=');
    choices.stored.slots.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}
void add_value(Choices& choices, const std::string& text) {
    const auto equals = text.find('=');
    choices.agent.values.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}
/// A list of words in brackets has got a blank after it (command_line.cpp).
void add_word(Choices& choices, const std::string& word) {
    if (!choices.question) choices.question.emplace();
    auto& question = *choices.question;
    (question += question.empty() ? "" : " ") += word;
    if (word.starts_with('[') && word.ends_with("] ")) question.pop_back();
}

/// The usual value of a member of AgentOptions, with the bounds of its row (workflows/catalog/options.hpp).
template <auto member> constexpr OptionValue usual() {
    using Type = std::remove_reference_t<decltype(std::declval<AgentOptions&>().*member)>;
    constexpr auto bounds = catalog::row_of<member>().bounds;
    if constexpr (std::is_same_v<Type, std::string>) return filled<member>;
    else if constexpr (std::is_same_v<Type, bool>) return flag<member>;
    else if constexpr (std::is_same_v<Type, int>) return number<member, int, int(bounds.least), int(bounds.most)>;
    else if constexpr (std::is_same_v<Type, std::optional<double>>)
        return number<member, double, int(bounds.least), int(bounds.most)>;
    else return repeated<member>;
}
/// The row of a member of AgentOptions, whose flag stands in the table there.
template <auto member>
Option agent_row(OptionGroup group, const char* value_name, std::string help, OptionValue value = usual<member>()) {
    return {group, catalog::row_of<member>().flag.data(), value_name, std::move(help), value};
}
constexpr OptionValue words{add_word, nullptr, OptionValue::Times::repeated};
constexpr OptionValue required(OptionValue value) {
    value.required = true;
    return value;
}

std::string if_no_set_action(const std::string& text) {
    return text == "set" ? "" : "is set or absent, not \"" + excerpt(text, 60) + '"';
}
auto parse_age(const std::string& text) { return parse_days(text, "--older-than takes an age"); }
auto parse_begin_at(const std::string& text) { return parse_time(text, "--at"); }
auto parse_begin_in(const std::string& text) { return parse_days(text, "--in takes a time"); }
auto parse_longest(const std::string& text) { return parse_days(text, "--longest takes a time"); }
auto parse_every(const std::string& text) { return parse_days(text, "--every takes an interval"); }
auto parse_window(const std::string& text) { return parse_days(text, "--window takes a time"); }
auto parse_lease(const std::string& text) { return parse_duration(text, "--lease"); }
auto parse_timeout(const std::string& text) { return parse_duration(text); }

template <std::size_t... i> std::vector<Option> table(std::index_sequence<i...>) {
    using O = AgentOptions;
    using enum OptionGroup;
    std::string dialects;
    for (const auto name : catalog::dialect_names()) (dialects += dialects.empty() ? "" : ", ") += name;
    return {
        {question_or_none, "QUESTION", "", "the question; without it, a conversation", words},
        {question, "QUESTION", "", "the question", required(words)},
        {workflow, "WORKFLOW", "", "its name; `weft list` lists them", required(text<&Choices::workflow>)},
        {agent, "AGENT", "", "react or reflect", required(text<&Choices::workflow>)},
        {tool, "TOOL", "", "its name; `weft tools` lists them", required(text<&Choices::tool>)},
        {tool, "JSON", "", "its arguments, an object", text<&Choices::arguments>},
        {run_id, "RUN", "", "its id, or its beginning; `weft runs` lists them",
         required(filled_utf8<&StoredChoices::run>)},
        {signalling, "SIGNAL", "", "the name of the event", required(filled_utf8<&StoredChoices::event>)},
        {run_or_newest, "RUN", "", "its id, or its beginning; without it the newest that has not ended",
         filled_utf8<&StoredChoices::run>},
        {run_ids, "RUN", "", "its id, or its beginning; several can be given", each_utf8<&StoredChoices::runs>},
        {man_page, "COMMAND", "", "a command; without it, weft itself", text<&Choices::topic>},
        {man_page, "--folder", "FOLDER", "write all pages into this folder, as weft.1, weft-react.1 and so on",
         filled<&Choices::folder>},
        {shell, "SHELL", "", "bash, zsh or fish", required(text<&Choices::topic>)},
        {export_file, "FILE", "", "a file from `weft export`; - is standard input",
         required(filled<&StoredChoices::file>)},
        {project, "NAME", "", "its name, and that of its folder in the working directory",
         required(filled<&ProjectChoices::name>)},
        {project, "--agent", "", "an agent with a tool of its own, in place of a workflow",
         flag<&ProjectChoices::agent>},

        agent_row<&O::model>(model, "MODEL", "PROVIDER:NAME, script:NAME, or a bare name; see `weft --help`"),
        agent_row<&O::base_url>(model, "URL", "the model's server, for example http://127.0.0.1:8080/v1"),
        agent_row<&O::temperature>(model, "NUMBER", "how freely the model chooses its words, 0 to 2"),
        agent_row<&O::whole_replies>(model, "", "let the model send its replies whole, not piece by piece"),
        agent_row<&O::no_prompt_cache>(model, "", "send no marks that tell a provider (Anthropic) what to cache"),

        agent_row<&O::model>(other_model, "MODEL", "a model other than the run's own"),
        agent_row<&O::base_url>(other_model, "URL", "a model's server other than the run's own"),

        agent_row<&O::database>(database, "FILE",
                                "the SQLite file that the tools read; the default is a built-in sample"),
        agent_row<&O::tools>(prompt, "TOOLS", "the tools the agent has, by name, with commas; `weft tools` lists them"),
        agent_row<&O::approve>(approving, "TOOLS",
                               "the tools that you are asked about before they run, by name, with commas"),
        agent_row<&O::allow>(approving, "TOOLS",
                             "the tools that run without a question, although they change something"),
        agent_row<&O::deny>(approving, "TOOLS", "the tools that never run"),
        agent_row<&O::permission>(
            approving, "MODE",
            "ask: you are asked before anything is changed (the default); auto: only about tools of --approve; never: "
            "what you would be asked about does not run",
            {parsed<&O::permission, parse_permission>.set, if_no_permission}),
        {approving,
         "--yes",
         "",
         "run what you would be asked about, except for tools that their MCP server has changed, and calls whose rule "
         "fails",
         {[](Choices& c, const std::string&) { c.agent.permission = tools::PermissionMode::yes; }, nullptr,
          OptionValue::Times::flag},
         "--permission"},
        agent_row<&O::writes_database>(writing, "",
                                       "open the database of --db for writing, so that sql_db_query can change it"),
        agent_row<&O::max_steps>(
            prompt, "N",
            "the maximum of turns, after which the model gives its best answer (20; 10 with function-call)"),
        agent_row<tools::tool_options[i].text>(tool_options, tools::tool_options[i].value_name,
                                               tools::tool_options[i].help)...,
        agent_row<&O::mcp>(
            tool_servers, "SERVER",
            "tools of an MCP server: NAME=COMMAND, NAME=URL (its token is in WEFT_MCP_TOKEN), or a file of mcpServers; "
            "may be repeated",
            each_utf8<&O::mcp>),
        agent_row<&O::mcp_output>(tool_servers_output, "", "show the output of MCP servers"),
        agent_row<&O::system>(system, "TEXT|@FILE", "further instructions for the model; @FILE reads them from a file"),

        agent_row<&O::fallbacks>(calling, "MODEL", "a model for when the one before is not available; may be repeated"),
        agent_row<&O::restart>(calling, "", "ask again, from the start, when a reply breaks off in the middle"),
        agent_row<&O::record_file>(
            calling, "FILE", "write every exchange with the model to this file; --model replay:FILE answers from it"),
        agent_row<&O::cache_file>(
            calling, "FILE",
            "keep the model's replies in this file, and give them again to the same requests, for nothing"),

        agent_row<&O::budget>(spending, "LIST",
                              "limits of a run: tokens=20000,cost=0.05,requests=10,tool_calls=8,time=2m, any of them",
                              parsed<&O::budget, parse_budget>),
        agent_row<&O::prices_file>(
            spending, "FILE",
            R"(a JSON file of the prices of a million tokens: {"openai:*": {"prompt": 0.15, "completion": 0.6}})"),

        agent_row<&O::memory_file>(memory, "FILE",
                                   "a JSON file of questions and answers: the agent knows them, and adds new ones"),
        agent_row<&O::context_tokens>(memory, "TOKENS",
                                      "the approximate maximum length of a prompt; the oldest turns are dropped first"),
        agent_row<&O::summarise>(memory, "",
                                 "with --context: the model summarises old turns in place of dropping them"),

        agent_row<&O::timeout>(timeout, "TIME", "the maximum time of a run: 30, 1.5s, 500ms, 2m",
                               parsed<&O::timeout, parse_timeout>),

        agent_row<&O::values>(values, "NAME=TEXT",
                              "a value for steps and tools that the model never sees, such as user=17; may be repeated",
                              {add_value, if_no_value, OptionValue::Times::repeated}),

        agent_row<&O::dialect>(dialect, "DIALECT", "how the agent talks with the model: " + dialects),
        agent_row<&O::template_file>(dialect_parts, "FILE",
                                     "a file with the prompt's template; `weft describe react` shows the usual one"),
        agent_row<&O::fallback>(dialect_parts, "", "function-call: leave out the tool that asks the model itself",
                                flag<&O::fallback, false>),
        agent_row<&O::schema_file>(schema, "FILE", "a JSON Schema that the answer has to fit; the answer is JSON then"),
        agent_row<&O::parallel>(reflecting, "", "answer sub-questions side by side; none sees another's answer"),
        agent_row<&O::template_file>(
            reflecting, "FILE", "a file with templates of the prompts; `weft describe reflect` shows the usual ones"),

        agent_row<&O::database>(sample_database, "FILE", "the SQLite file that the tools read; without it the sample"),
        agent_row<&O::timeout>(looking, "TIME", "the longest wait for a server or a disk (4s)",
                               parsed<&O::timeout, parse_timeout>),
        {input, "--input", "JSON|@FILE",
         "the start event; `weft schema WORKFLOW` shows its fields; @FILE reads it from a file", text<&Choices::input>},
        {format, "--format", "FORMAT", "mermaid (the default), dot or json", text<&Choices::format>},

        {run_filter,
         "--status",
         "STATUS",
         "only runs of this status; may be repeated",
         {repeated<&StoredChoices::statuses>.set, if_no_status, OptionValue::Times::repeated}},
        {run_filter, "--workflow", "WORKFLOW", "only runs of this workflow; may be repeated",
         each_utf8<&StoredChoices::workflows>},
        {run_filter, "--limit", "N", "the maximum number of runs, the newest first (1000)",
         number<&StoredChoices::limit, int, 1, 1'000'000>},
        {answering, "--event", "EVENT", "the name of the event that answers",
         required(filled_utf8<&StoredChoices::event>)},
        {answering, "--json", "JSON", "the data of the event, an object (empty by default)",
         utf8<&StoredChoices::json>},
        {answering, "--question", "ID", "the answered question; by default the oldest that the event answers",
         filled_utf8<&StoredChoices::question>},
        {answering, "--id", "ID", "an id of the answer: sent twice with one id, it counts once",
         filled_utf8<&StoredChoices::id>},
        {signalling, "--input", "JSON|@FILE",
         "the fields of the event (empty by default); @FILE reads them from a file", text<&Choices::input>},
        {signalling, "--id", "ID", "an id of the signal: sent twice with one id, it counts once",
         filled_utf8<&StoredChoices::id>},
        {pruning, "--older-than", "AGE", "runs that ended longer ago than this: 30d, 12h, 90m",
         parsed<&StoredChoices::older_than, parse_age>},
        {pruning, "--run", "RUN", "this run, by its id or the id's beginning", filled_utf8<&StoredChoices::run>,
         "--older-than"},
        {pruning, "--damaged", "", "with --run: also if it has not ended, because it is damaged and cannot be read",
         flag<&StoredChoices::damaged>},
        {pruning, "--dry-run", "", "only print the number of runs", flag<&StoredChoices::dry_run>},
        {forking, "--at", "TICK", "the number of the last tick that the new run begins with; `weft show RUN` has them",
         required(number<&StoredChoices::at, int, 0, 1'000'000>)},
        {forking,
         "--set",
         "SLOT=JSON",
         "a new value of a slot; may be repeated",
         {add_slot, if_no_slot, OptionValue::Times::repeated}},
        {keeping, "--store", "FILE|URL",
         "keep the run in this file or database, for `weft resume`; without it in that of WEFT_STORE, if it is set",
         joined<&StoredChoices::store>},
        {store, "--store", "FILE|URL",
         "a file, postgres://USER@HOST/DATABASE, or @FILE with addresses; repeated: a store of several databases; "
         "without it WEFT_STORE",
         joined<&StoredChoices::store>},

        {detaching, "--detach", "", "only store the run, for `weft worker` or `weft serve`, and print its id",
         flag<&WorkerChoices::detach>},
        {detaching, "--at", "TIME", "like --detach, but the run waits until this time, such as 2026-12-01T09:00+01:00",
         parsed<&WorkerChoices::begin_at, parse_begin_at>},
        {detaching, "--in", "TIME", "like --at, for a time from now: 3d, 12h, 90m, 45s",
         parsed<&WorkerChoices::begin_in, parse_begin_in>, "--at"},
        {detaching, "--batch", "FILE",
         "like --detach, for each line of this file: {\"input\": {...}, \"key\": \"...\"}; a known key adds no run",
         filled<&WorkerChoices::batch>, "--input"},
        {detaching, "--key", "KEY", "with --detach: if the workflow has a run with this key, print its id and add none",
         filled_utf8<&WorkerChoices::key>, "--batch"},
        {detaching, "--debounce", "KEY",
         "with --in or --at: if a run of the workflow with this key waits for its time, replace its start by this one, "
         "move its time, and print its id",
         filled_utf8<&WorkerChoices::debounce>, "--key"},
        {detaching, "--longest", "TIME",
         "with --debounce: the run begins at most this long after the first start (366d)",
         parsed<&WorkerChoices::longest, parse_longest>, "--batch"},
        {detaching, "--queue", "QUEUE", "with --detach: the queue that the run waits in (default)",
         filled_utf8<&WorkerChoices::queue>},
        {detaching, "--priority", "N", "with --detach: runs of a higher priority are taken first (0)",
         number<&WorkerChoices::priority, int, -1'000'000, 1'000'000>},

        {scheduling, "ACTION", "", "add, list, show, pause, resume, run or remove",
         required(text<&ScheduleChoices::action>)},
        {scheduling, "NAME", "", "the schedule's name", filled_utf8<&ScheduleChoices::name>},
        {scheduling, "WORKFLOW", "", "the workflow that add lets it start", filled_utf8<&ScheduleChoices::workflow>},
        {scheduling, "--cron", "EXPRESSION", "minute, hour, day, month, weekday: \"0 9 * * 1-5\"",
         filled_utf8<&ScheduleChoices::cron>},
        {scheduling, "--tz", "ZONE", "the zone of --cron, such as Europe/Berlin (UTC)",
         filled_utf8<&ScheduleChoices::zone>},
        {scheduling, "--every", "TIME", "an interval from now on: 1d, 6h, 5m, 30s",
         parsed<&ScheduleChoices::every, parse_every>, "--cron"},
        {scheduling, "--at", "TIME", "one time, such as 2026-12-01T09:00+01:00",
         parsed<&ScheduleChoices::at, parse_begin_at>, "--cron"},
        {scheduling, "--in", "TIME", "like --at, for a time from now: 3d, 12h, 90m, 45s",
         parsed<&ScheduleChoices::in, parse_begin_in>, "--cron"},
        {scheduling, "--input", "JSON|@FILE", "the start event of its runs", text<&Choices::input>},
        {scheduling, "--missed", "WHICH", "times without a worker to make up for: none, last (the default) or all",
         utf8<&ScheduleChoices::missed>},
        {scheduling, "--window", "TIME", "never make up for times older than this: 1d, 6h; needed for --missed all",
         parsed<&ScheduleChoices::window, parse_window>},
        {scheduling, "--overlap", "HOW", "if the run before goes on: skip, wait (with all missed), allow or cancel it",
         utf8<&ScheduleChoices::overlap>},
        {scheduling, "--queue", "QUEUE", "of schedule and runs (default)", filled_utf8<&ScheduleChoices::queue>},

        {working, "--slots", "N", "how many runs may be in memory at once (50)",
         number<&WorkerChoices::slots, int, 1, 100'000>},
        {working, "--queues", "QUEUES", "take only runs of these queues, with commas; by default of all",
         filled_utf8<&WorkerChoices::queues>},
        {working, "--workflows", "WORKFLOWS", "take only runs of these workflows, with commas; by default of all",
         filled<&WorkerChoices::workflows>},
        {working, "--lease", "TIME", "the time without a heartbeat after which others take its runs (10s)",
         OptionValue{parsed<&WorkerChoices::lease, parse_lease>.set, if_no_lease}},
        {working, "--metrics", "FILE", "write metrics for Prometheus to this file, every 5 seconds",
         filled<&WorkerChoices::metrics_file>},

        {queue_limits, "ACTION", "", "set: change the limits of a queue; without it, list the queues",
         OptionValue{text<&WorkerChoices::action>.set, if_no_set_action}},
        {queue_limits, "QUEUE", "", "the queue whose limits change", filled_utf8<&WorkerChoices::queue>},
        {queue_limits, "--running", "N", "how many runs of the queue may run at once; 0 lets it rest, none removes it",
         filled<&WorkerChoices::running>},
        {queue_limits, "--per", "KEY[=N]",
         "serve runs in turn by a value, such as value.tenant; with =2 at most two of each run at once, with =0 "
         "none; none removes it",
         filled_utf8<&WorkerChoices::per>},
        {queue_limits, "--rate", "N/TIME", "how many runs may begin in a time: 5/s, 100/min or 1000/h; none removes it",
         filled<&WorkerChoices::rate>},

        {model_limits, "ACTION", "", "set: change the limits of a model; without it, list them",
         OptionValue{text<&ModelLimitChoices::action>.set, if_no_set_action}},
        {model_limits, "MODEL", "", "the model whose limits change, such as openai:gpt-4o",
         filled_utf8<&ModelLimitChoices::model>},
        {model_limits, "--requests", "N", "how many requests a minute may be sent; none removes the limit",
         filled<&ModelLimitChoices::requests>},
        {model_limits, "--tokens", "N",
         "how many tokens a minute requests and replies may have; none removes the limit",
         filled<&ModelLimitChoices::tokens>},
        {model_limits, "--per", "KEY",
         "give equal shares to runs with different values, such as value.tenant; none removes it",
         filled_utf8<&ModelLimitChoices::per>},

        {serving, "--port", "PORT", "the port that it listens on (8080); 0 takes a free one",
         number<&ServeChoices::port, int, 0, 65535>},
        {serving, "--host", "ADDRESS", "the address that it listens on (127.0.0.1); any other one needs --token-file",
         filled<&ServeChoices::host>},
        {serving, "--workflows", "WORKFLOWS", "the served workflows, with commas; by default all of `weft list`",
         filled<&ServeChoices::workflows>},
        {serving, "--token-file", "FILE", "a file with a token in each line; clients must send one of them",
         filled<&ServeChoices::token_file>},
        {serving, "--no-auth", "", "with --host: serve all clients that reach the address, without a token",
         flag<&ServeChoices::no_auth>},
        {serving, "--allow-host", "NAME", "another host name of this server; may be repeated",
         repeated<&ServeChoices::hosts>},
        {serving, "--allow-origin", "ORIGIN",
         "allow requests from pages of this origin, such as https://app.example; may be repeated",
         repeated<&ServeChoices::origins>},
        {serving, "--cert", "FILE", "serve over TLS with this certificate, in PEM form; needs --key",
         filled<&ServeChoices::certificate>},
        {serving, "--key", "FILE", "the key of the certificate", filled<&ServeChoices::key>},
        {serving, "--slots", "N",
         "how many runs of the store may be in memory at once, beside those of clients (50); 0 leaves them to workers",
         number<&WorkerChoices::slots, int, 0, 100'000>},
        {serving, "--max-runs", "N", "the maximum of concurrent runs (1000); further ones are refused",
         number<&ServeChoices::max_runs, int, 1, 1'000'000>},
        {serving, "--max-mib", "N", "the memory in MiB for all unfinished runs (512); the server refuses more",
         number<&ServeChoices::max_mib, int, 1, 1'000'000>},
        {serving, "--max-requests", "N", "the maximum of requests per second and token; unlimited by default",
         number<&ServeChoices::max_requests, int, 1, 1'000'000>},
        {serving, "--accept-values", "",
         "let clients give \"values\" to their runs: only if your own front end is the only client",
         flag<&ServeChoices::accept_values>},
        {serving, "--debugger", "FOLDER",
         "serve LlamaIndex's debugger under /debugger/, from the package @llamaindex/workflow-debugger",
         filled<&ServeChoices::debugger>},

        {serving_mcp, "--http", "HOST:PORT",
         "serve over HTTP at this address; by default over standard input and output", filled<&ServeChoices::http>},
        {serving_mcp, "--workflows", "WORKFLOWS", "the offered workflows, with commas; by default all of `weft list`",
         filled<&ServeChoices::workflows>},
        {serving_mcp, "--store", "FILE|URL",
         "also offer tools that put runs into this store, for `weft worker` or `weft serve`, and show or cancel them",
         joined<&StoredChoices::store>},
        {serving_mcp, "--token-file", "FILE",
         "with --http: a file with a token in each line; clients must send one of them",
         filled<&ServeChoices::token_file>},
        {serving_mcp, "--no-auth", "", "with --http: serve all clients that reach the address, without a token",
         flag<&ServeChoices::no_auth>},
        {serving_mcp, "--allow-host", "NAME", "with --http: another host name of this server; may be repeated",
         repeated<&ServeChoices::hosts>},
        {serving_mcp, "--allow-origin", "ORIGIN",
         "with --http: allow requests from pages of this origin, such as https://app.example; may be repeated",
         repeated<&ServeChoices::origins>},
        {serving_mcp, "--cert", "FILE", "with --http: serve over TLS with this certificate, in PEM form; needs --key",
         filled<&ServeChoices::certificate>},
        {serving_mcp, "--key", "FILE", "the key of the certificate", filled<&ServeChoices::key>},
        {serving_mcp, "--max-runs", "N", "the maximum of concurrent calls (1000); further ones are refused",
         number<&ServeChoices::max_runs, int, 1, 1'000'000>},

        {remote, "--server", "URL", "use this server, started by `weft serve`, in place of this process",
         filled<&RemoteChoices::server>},
        {remote, "--token-file", "FILE", "with --server: a file with a token in its first line, else WEFT_SERVER_TOKEN",
         filled<&RemoteChoices::token_file>},

        {result, "--json", "", "print the result as a JSON object in one line", flag<&DisplayOptions::json>},
        {result, "--events", "", "print every event as a line of JSON, in place of answer and trace",
         flag<&DisplayOptions::events>, "--json"},
        {quiet, "--quiet,-q", "", "show no trace", flag<&DisplayOptions::quiet>},
        {details,
         "--verbose,-v",
         "",
         "show long observations whole, the model, the tokens, and the output of MCP servers",
         {[](Choices& c, const std::string&) { c.show.verbose = c.agent.mcp_output = true; }, nullptr,
          OptionValue::Times::flag},
         "--quiet"},
        {details, "--log-file", "FILE",
         "append a line for each step to this file, with -v whole messages too; never a key",
         filled<&DisplayOptions::log_file>},
        {details, "--html", "FILE", "write the trace to this file, as a page for a browser",
         filled<&DisplayOptions::html_file>},
        {events, "--events", "", "print every event as a line of JSON, in place of result and trace",
         flag<&DisplayOptions::events>},
        {both_results, "--json", "", "print both results as a JSON object in one line", flag<&DisplayOptions::json>},
        {messages, "--json", "", "as a JSON array of {role, content}, exactly as they would be sent",
         flag<&DisplayOptions::json>},
        {as_json, "--json", "", "as JSON", flag<&DisplayOptions::json>},
    };
}
}

const std::vector<Option>& options() {
    static const auto all = table(std::make_index_sequence<std::size(tools::tool_options)>());
    return all;
}
}
