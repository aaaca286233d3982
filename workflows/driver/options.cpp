// Numbers are read by from_chars, since CLI11 takes 010 for 8. Words that CLI11 would take for a list, or for an option
// with an empty value, are guarded before it sees them.
#include "workflows/driver/options.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "workflows/catalog/dialects.hpp"
#include <charconv>
#include <CLI/CLI.hpp>
#include <cmath>

namespace weft::driver {
namespace {
constexpr double longest_timeout = 7 * 24 * 3600;

template <class Number> CLI::Validator range(Number least, Number most, const std::string& what) {
    return CLI::Validator(
        [=](std::string& text) -> std::string {
            Number value{};
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool plain = std::is_floating_point_v<Number> || std::to_string(value) == text;  // 010 would be 8
            if (plain && error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
                return {};
            return what + ", not \"" + text + '"';
        },
        "");
}
}

void never_empty(CLI::Option& option) {
    option.check(CLI::Validator(
        [](std::string& text) -> std::string {
            if (text.find_first_not_of(" \t\r\n") != text.npos) return {};
            return "takes a value that is not empty; leave it out for the default";
        },
        ""));
}
void add_model_options(CLI::App& app, catalog::AgentOptions& o) {
    never_empty(*app.add_option("--model", o.model, "PROVIDER:NAME, script:NAME, or a bare name; see `weft --help`")
                     ->type_name("MODEL"));
    never_empty(*app.add_option("--base-url", o.base_url, "the model's server, for example http://127.0.0.1:8080/v1")
                     ->type_name("URL"));
    app.add_option("--temperature", o.temperature, "how freely the model chooses its words, 0 to 2")
        ->type_name("NUMBER")
        ->check(range(0.0, 2.0, "takes a number from 0 to 2"));
    app.add_flag("--no-stream", o.whole_replies, "let the model send its replies whole, not piece by piece");
}
void add_calling_options(CLI::App& app, catalog::AgentOptions& o) {
    app.add_option("--fallback", o.fallbacks,
                   "another model, asked if the one before is not available; may be repeated")
        ->type_name("MODEL")
        ->allow_extra_args(false);
    app.add_flag("--restart", o.restart, "ask again, from the start, when a reply breaks off in the middle");
    never_empty(*app.add_option("--record", o.record_file,
                                "write every exchange with the model to this file; --model replay:FILE answers from it")
                     ->type_name("FILE"));
}
void add_spending_options(CLI::App& app, catalog::AgentOptions& o) {
    app.add_option_function<std::string>(
           "--budget", [&o](const std::string& text) { o.budget = parse_budget(text); },
           "what a run may spend: tokens=20000,cost=0.05,requests=10,tool_calls=8,time=2m, any of them")
        ->type_name("LIST");
    never_empty(*app.add_option("--prices", o.prices_file, "a JSON file of what tokens cost; see docs/tutorial/11")
                     ->type_name("FILE"));
}
void add_web(CLI::App& app, catalog::AgentOptions& o) {
    never_empty(*app.add_option("--web", o.web_hosts,
                                "let the agent read pages of these hosts, with commas: en.wikipedia.org,*.example.org")
                     ->type_name("HOSTS"));
}
void add_prompt_options(CLI::App& app, catalog::AgentOptions& o) {
    never_empty(*app.add_option("--db", o.database,
                                "the SQLite file that the tools read; without it a sample, which is built in")
                     ->type_name("FILE"));
    never_empty(
        *app.add_option("--tools", o.tools, "the tools the agent has, by name, with commas; `weft tools` lists them")
             ->type_name("A,B"));
    app.add_option("--max-steps", o.max_steps,
                   "after so many turns the model gives the best answer it has (20; 10 with function-call)")
        ->type_name("N")
        ->check(range(1, 1000, "takes a whole number from 1 to 1000"));
    add_web(app, o);
    never_empty(*app.add_option("--system", o.system, "what else the model is told; @FILE reads it from a file")
                     ->type_name("TEXT|@FILE"));
}
void add_dialect(CLI::App& app, catalog::AgentOptions& o) {
    std::string names;
    for (const auto name : catalog::dialect_names()) (names += names.empty() ? "" : ", ") += name;
    never_empty(
        *app.add_option("--dialect", o.dialect, "how the agent talks with the model: " + names)->type_name("NAME"));
}
void add_dialect_options(CLI::App& app, catalog::AgentOptions& o) {
    add_dialect(app, o);
    never_empty(*app.add_option("--template", o.template_file,
                                "a file with the prompt's template; `weft describe react` shows the usual one")
                     ->type_name("FILE"));
    app.add_flag_callback(
        "--no-fallback", [&o] { o.fallback = false; }, "function-call: no tool that asks the model itself");
}
void add_memory_options(CLI::App& app, catalog::AgentOptions& o) {
    never_empty(*app.add_option("--memory", o.memory_file,
                                "a JSON file of questions and answers: what it holds is known, and what is answered is "
                                "added")
                     ->type_name("FILE"));
    app.add_option("--context", o.context_tokens,
                   "a prompt has at most about so many tokens; the oldest turns go first")
        ->type_name("TOKENS")
        ->check(range(256, 10'000'000, "takes a whole number from 256 to 10000000"));
    app.add_flag("--summarize", o.summarise,
                 "with --context: the model summarises what would have to go, and the summary takes its place");
}
void add_timeout(CLI::App& app, catalog::AgentOptions& o) {
    app.add_option_function<std::string>(
           "--timeout", [&o](const std::string& text) { o.timeout = parse_duration(text); },
           "the time that a run has: 30, 1.5s, 500ms, 2m")
        ->type_name("TIME");
}

namespace {
/// A number that is all of the text, and more than nothing.
std::optional<double> positive(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > 1e12) return std::nullopt;
    return value;
}
}
agents::Budget parse_budget(const std::string& text) {
    const auto refuse = [](const std::string& part) {
        throw Error(Code::usage,
                    "--budget takes a list such as tokens=20000,cost=0.05,requests=10,tool_calls=8,time=2m, "
                    "not \"" +
                        part + '"');
    };
    agents::Budget budget;
    const auto parts = catalog::split_names(text);
    if (parts.empty()) refuse(text);
    for (const auto& part : parts) {
        const auto name = part.substr(0, part.find('='));
        const auto value = part.substr(std::min(name.size() + 1, part.size()));
        if (name == "time") {
            budget.time_ms = parse_duration(value, "--budget time").count();
            continue;
        }
        const auto number = positive(value);
        const bool whole = number && *number >= 1 && *number == std::floor(*number) && *number <= 1e9;
        if (!number || (name != "cost" && !whole)) refuse(part);
        if (name == "tokens") budget.tokens = static_cast<std::int64_t>(*number);
        else if (name == "cost") budget.cost = *number;
        else if (name == "requests") budget.requests = static_cast<int>(*number);
        else if (name == "tool_calls") budget.tool_calls = static_cast<int>(*number);
        else refuse(part);
    }
    return budget;
}
std::chrono::milliseconds parse_duration(const std::string& text, const std::string& option) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string unit(end, text.data() + text.size());
    const double scale = unit == "ms"                  ? 0.001
                         : unit.empty() || unit == "s" ? 1
                         : unit == "m"                 ? 60
                         : unit == "h"                 ? 3600
                                                       : 0;
    const double seconds = value * scale;
    if (error != std::errc() || scale == 0 || !(seconds >= 0.001) || seconds > longest_timeout)
        throw Error(Code::usage, option +
                                     " takes a time such as 30, 1.5s, 500ms, 2m or 1h, and at most a week, not \"" +
                                     text + "\"");
    return std::chrono::milliseconds(std::llround(seconds * 1000));
}
nlohmann::json read_json(const std::string& text, const std::string& what) {
    try {
        return parse_json(text);
    } catch (const Error& error) { throw Error(Code::usage, what + ": " + error.what()); }
}
std::vector<std::string> guarded_words(int argc, char** argv) {
    std::vector<std::string> words(argv + (argc > 0), argv + argc);
    bool options = true;
    for (auto& word : words) {
        if (word == "--") options = false;
        if (options && word.starts_with("--") && word.find('=') == word.size() - 1)
            throw Error(Code::usage, word + " has no value: write one after it, or leave it out for the default");
        if (word.starts_with('[') && word.ends_with(']')) word += ' ';
    }
    return words;
}
std::string joined_words(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) {
        (text += text.empty() ? "" : " ") += word;
        if (word.starts_with('[') && word.ends_with("] ")) text.pop_back();
    }
    return text;
}
}
