// What the commands that run or show an agent have in common on the command line.
#pragma once
#include "steps/agents/common/budget.hpp"
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}
namespace weft::driver {
struct AgentOptions {
    std::string model, base_url;  // empty: chosen by the surroundings
    std::string database;         // empty: the sample
    std::string tools;            // names with commas; empty: all
    std::string system;           // text, or @FILE
    std::string dialect = "react";
    std::string template_file;           // empty: the dialect's own
    std::string memory_file;             // empty: of this process
    std::string web_hosts;               // names with commas; empty: no web
    std::string schema_file;             // of the answer; empty: any text
    std::string prices_file;             // empty: costs are not known
    std::string record_file;             // empty: nothing is recorded
    std::vector<std::string> fallbacks;  // models that are asked if the first one is not there
    agents::Budget budget;
    bool restart = false;    // a reply that breaks off is asked for again
    int max_steps = 0;       // 0: as many as are usual
    int context_tokens = 0;  // 0: no bound
    bool summarise = false;  // what has no room in it
    std::optional<double> temperature;
    std::optional<std::chrono::milliseconds> timeout;
    bool whole_replies = false;  // --no-stream
    bool fallback = true;        // whether `function-call` may ask the model itself
    bool parallel = false;       // sub-questions
};
void add_model_options(CLI::App&, AgentOptions&);     // --model, --base-url, --temperature, --no-stream
void add_prompt_options(CLI::App&, AgentOptions&);    // --db, --tools, --max-steps, --system
void add_calling_options(CLI::App&, AgentOptions&);   // --fallback, --restart, --record
void add_spending_options(CLI::App&, AgentOptions&);  // --budget, --prices
void add_web(CLI::App&, AgentOptions&);
void add_dialect(CLI::App&, AgentOptions&);          // --dialect
void add_dialect_options(CLI::App&, AgentOptions&);  // --dialect, --template, --no-fallback
void add_memory_options(CLI::App&, AgentOptions&);   // --memory, --context, --summarize
void add_timeout(CLI::App&, AgentOptions&);
/// Refuses an empty value: a variable of a shell that is not set must not choose what nobody has asked for.
void never_empty(CLI::Option&);

/// "30", "1.5s", "500ms", "2m", "1h". Throws Error{usage}.
std::chrono::milliseconds parse_duration(const std::string& text, const std::string& option = "--timeout");
/// Throws Error{usage} for what is no list of bounds.
agents::Budget parse_budget(const std::string&);
/// The text of --system. Throws Error{configuration} for a file that cannot be read or is longer than 256 KB.
std::string system_text(const std::string& option);
/// The text of --template, nothing without one. Throws as system_text does.
std::optional<std::string> template_text(const AgentOptions&);
/// The value of a text from the command line or from standard input. Throws Error{usage} that begins with what it is.
nlohmann::json read_json(const std::string& text, const std::string& what);
/// CLI11 takes a word in brackets for a list of words. A blank after it, which joined_words() drops, prevents that. It
/// takes the word after `--model=` for its value: that is Error{usage} here.
std::vector<std::string> guarded_words(int argc, char** argv);  // without the program's name
std::string joined_words(const std::vector<std::string>&);
std::vector<std::string> split_names(const std::string& list);  // "a, b" -> a and b
}
