// The options of an agent and of its resources. The driver fills them from the command line, so error sentences name
// the driver's options.
#pragma once
#include "engine/json/text.hpp"
#include "steps/agents/common/budget.hpp"
#include "tools/permission.hpp"
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::catalog {
/// Gets a sentence about each choice that the options left open.
using Note = std::function<void(std::string_view)>;

struct AgentOptions {
    std::string command;          // that asks: the driver's, kept with stored runs
    std::string store_file;       // where the runs are kept; empty: nowhere
    std::string model, base_url;  // empty: chosen by what there is
    std::string database;         // empty: the sample
    std::string tools;            // names with commas; empty: all
    std::string approve;          // names with commas, of those whose calls are asked about first
    std::string allow, deny;      // likewise, of those that run without a question, and of those that never run
    tools::PermissionMode permission = tools::PermissionMode::ask;
    bool writes_database = false;  // --db-write: sql_db_query may change it
    std::string system;            // text, or @FILE
    std::string dialect = "react";
    std::string template_file;           // empty: the dialect's own
    std::string memory_file;             // empty: of this process
    std::string web_hosts;               // names with commas; empty: no web
    std::vector<std::string> mcp;        // servers of tools, and files that list such: mcp_servers.hpp
    bool mcp_output = false;             // what these servers print is told, too
    std::string schema_file;             // of the answer; empty: any text
    std::string prices_file;             // empty: costs are not known
    std::string record_file;             // empty: nothing is recorded
    std::string cache_file;              // of replies; empty: each request is asked
    std::vector<std::string> fallbacks;  // models that are asked if the first one is not there
    agents::Budget budget;
    std::vector<std::pair<std::string, std::string>> values;  // of its runs: RunOptions::values
    bool restart = false;                                     // a reply that breaks off is asked for again
    int max_steps = 0;                                        // 0: as many as are usual
    int context_tokens = 0;                                   // 0: no bound
    bool summarise = false;                                   // what has no room in it
    std::optional<double> temperature;
    std::optional<std::chrono::milliseconds> timeout;
    bool whole_replies = false;    // --no-stream
    bool no_prompt_cache = false;  // no provider is told to cache a prompt
    bool fallback = true;          // whether `function-call` may ask the model itself
    bool parallel = false;         // sub-questions
    bool uses_scripts = true;      // if there is no model, a bundled script answers its own question
    bool only_replays = false;     // no model is asked, no database and no memory is read
};

/// The text of --system. Throws Error{configuration} for a file that cannot be read or is longer than 256 KB.
std::string system_text(const std::string& option);
/// The text of --template, nothing without one. Throws as system_text does.
std::optional<std::string> template_text(const AgentOptions&);
std::vector<std::string> split_names(const std::string& list);  // "a, b" -> a and b
/// RunOptions::values of these options: a JSON object of texts; empty without any. Throws Error{usage} for a name that
/// is there twice.
JsonText values_of(const AgentOptions&);
}
