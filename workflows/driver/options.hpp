// What the commands that run or show an agent have in common on the command line.
#pragma once
#include "workflows/catalog/options.hpp"
#include <nlohmann/json_fwd.hpp>

namespace CLI {
class App;
class Option;
}
namespace weft::driver {
void add_model_options(CLI::App&, catalog::AgentOptions&);     // --model, --base-url, --temperature, --no-stream
void add_prompt_options(CLI::App&, catalog::AgentOptions&);    // --db, --tools, --max-steps, --system
void add_calling_options(CLI::App&, catalog::AgentOptions&);   // --fallback, --restart, --record
void add_spending_options(CLI::App&, catalog::AgentOptions&);  // --budget, --prices
void add_web(CLI::App&, catalog::AgentOptions&);
void add_dialect(CLI::App&, catalog::AgentOptions&);          // --dialect
void add_dialect_options(CLI::App&, catalog::AgentOptions&);  // --dialect, --template, --no-fallback
void add_memory_options(CLI::App&, catalog::AgentOptions&);   // --memory, --context, --summarize
void add_timeout(CLI::App&, catalog::AgentOptions&);
/// Refuses an empty value: a variable of a shell that is not set must not choose what nobody has asked for.
void never_empty(CLI::Option&);

/// "30", "1.5s", "500ms", "2m", "1h". Throws Error{usage}.
std::chrono::milliseconds parse_duration(const std::string& text, const std::string& option = "--timeout");
/// Throws Error{usage} for what is no list of bounds.
agents::Budget parse_budget(const std::string&);
/// The value of a text from the command line or from standard input. Throws Error{usage} that begins with what it is.
nlohmann::json read_json(const std::string& text, const std::string& what);
/// CLI11 takes a word in brackets for a list of words. A blank after it, which joined_words() drops, prevents that. It
/// takes the word after `--model=` for its value: that is Error{usage} here.
std::vector<std::string> guarded_words(int argc, char** argv);  // without the program's name
std::string joined_words(const std::vector<std::string>&);
}
