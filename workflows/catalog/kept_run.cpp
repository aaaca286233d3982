// The members that are kept as they are stand once, in a list of pairs, so that none is written and not read.
#include "workflows/catalog/kept_run.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/http/address.hpp"
#include "steps/models/protocols/model_name.hpp"
#include "workflows/catalog/mcp_servers.hpp"
#include <cmath>
#include <filesystem>

namespace weft::catalog {
using namespace storage;
namespace {
using Text = std::string;

constexpr std::pair<Text AgentOptions::*, Text KeptOptions::*> texts[] = {
    {&AgentOptions::base_url, &KeptOptions::base_url},   {&AgentOptions::tools, &KeptOptions::tools},
    {&AgentOptions::approve, &KeptOptions::approve},     {&AgentOptions::allow, &KeptOptions::allow},
    {&AgentOptions::deny, &KeptOptions::deny},           {&AgentOptions::dialect, &KeptOptions::dialect},
    {&AgentOptions::web_hosts, &KeptOptions::web_hosts},
};
constexpr std::pair<Text AgentOptions::*, Text KeptOptions::*> files[] = {
    {&AgentOptions::database, &KeptOptions::database},
    {&AgentOptions::template_file, &KeptOptions::template_file},
    {&AgentOptions::memory_file, &KeptOptions::memory_file},
    {&AgentOptions::schema_file, &KeptOptions::schema_file},
    {&AgentOptions::prices_file, &KeptOptions::prices_file},
};
/// What both have of the same name and type.
template <class From, class To> void copy_values(const From& from, To& to) {
    to.budget = from.budget;
    to.restart = from.restart;
    to.summarise = from.summarise;
    to.whole_replies = from.whole_replies;
    to.no_prompt_cache = from.no_prompt_cache;
    to.fallback = from.fallback;
    to.parallel = from.parallel;
    to.max_steps = from.max_steps;
    to.context_tokens = from.context_tokens;
    to.temperature = from.temperature;
    to.permission = from.permission;
    to.writes_database = from.writes_database;
}

// ----- written

/// It has to be the same text when it is read again.
const Text& checked_text(const Text& text) {
    if (is_utf8(text)) return text;
    throw Error(Code::usage,
                "a run is stored as UTF-8, and \"" + excerpt(text, 60) + "\" is not: give the file a name that is");
}
Text absolute_file(const Text& file) {
    return file.empty() ? file : checked_text(std::filesystem::absolute(file).lexically_normal().string());
}
bool is_path(const models::ModelName& name) {  // else it is the name of a bundled script
    return name.file == models::ModelFile::replay ||
           (name.file == models::ModelFile::script && name.model.find('/') != name.model.npos);
}
Text kept_model(const Text& text) {
    if (text.empty()) return text;
    auto name = models::parse_model_name(text);
    if (is_path(name)) name.model = absolute_file(name.model);
    return checked_text(name.text());
}

// ----- read

[[noreturn]] void refuse_kept(const Text& what) { throw Error(Code::journal, what); }
void check_file(const Text& file) {
    if (!file.empty() && (file[0] != '/' || file.find('\0') != file.npos))
        refuse_kept("\"" + excerpt(file, 60) + "\" is not the whole path of a file");
}
void check_model(const Text& text) {
    if (text.empty()) return;
    const auto name = models::parse_model_name(text);
    if (is_path(name)) check_file(name.model);
}
void check_number(std::string_view name, double value, double least, double most) {
    if (!(value >= least && value <= most)) refuse_kept(Text(name) + " is out of its bounds");
}
void check_budget(const agents::Budget& budget) {
    const std::pair<const char*, double> bounds[] = {{"budget.tokens", double(budget.tokens)},
                                                     {"budget.cost", budget.cost},
                                                     {"budget.requests", double(budget.requests)},
                                                     {"budget.tool_calls", double(budget.tool_calls)},
                                                     {"budget.time_ms", double(budget.time_ms)}};
    for (const auto& [name, value] : bounds) check_number(name, value, 0, 1e15);
}
void check_options(const KeptOptions& options) {
    for (const auto& [_, member] : files) check_file(options.*member);
    if (options.system.starts_with('@')) check_file(options.system.substr(1));
    check_model(options.model);
    for (const auto& model : options.fallbacks) check_model(model);
    if (!options.base_url.empty()) models::check_base(options.base_url, "--base-url");
    check_budget(options.budget);
    if (options.max_steps != 0) check_number("max_steps", options.max_steps, 1, 1000);
    if (options.context_tokens != 0) check_number("context_tokens", options.context_tokens, 256, 10'000'000);
    if (options.temperature) check_number("temperature", *options.temperature, 0, 2);
    if (options.timeout_ms) check_number("timeout_ms", double(*options.timeout_ms), 1, 7 * 24 * 3600 * 1000.0);
}
}

std::string write_kept_run(const AgentOptions& options, const std::string& model, std::string_view workflow,
                           const nlohmann::json& input, const std::string& handler) {
    KeptRun kept{
        .command = options.command, .workflow = Text(workflow), .input = input, .options = {}, .handler = handler};
    auto& to = kept.options;
    copy_values(options, to);
    for (const auto& [from, member] : texts) to.*member = checked_text(options.*from);
    for (const auto& [from, member] : files) to.*member = absolute_file(options.*from);
    const bool in_file = options.system.starts_with('@');
    to.system = in_file ? "@" + absolute_file(options.system.substr(1)) : checked_text(options.system);
    to.model = kept_model(model);
    for (const auto& other : options.fallbacks) to.fallbacks.push_back(kept_model(other));
    if (!options.base_url.empty()) models::check_base(options.base_url, "--base-url");
    for (const auto& word : options.mcp) to.mcp.push_back(checked_text(name_of_servers(word)));
    if (options.timeout) to.timeout_ms = options.timeout->count();
    return to_json(kept).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
KeptRun read_kept_run(const RunRow& row) {
    const auto run = "run " + repair_utf8(row.id);
    if (row.options.empty())
        throw Error(Code::usage, run + " was started by a program of its own, not by weft: that program resumes it");
    try {
        auto kept = from_json<KeptRun>(parse_json(row.options));
        if (kept.workflow != row.workflow) refuse_kept("it is of another workflow than the run");
        check_options(kept.options);
        return kept;
    } catch (const Error& error) {
        throw Error(Code::journal, run + " keeps options that cannot be used: " + error.what());
    }
}
AgentOptions options_of(const KeptRun& kept, const std::string& store_file) {
    AgentOptions options;
    copy_values(kept.options, options);
    for (const auto& [member, from] : texts) options.*member = kept.options.*from;
    for (const auto& [member, from] : files) options.*member = kept.options.*from;
    options.system = kept.options.system;
    options.model = kept.options.model;
    options.fallbacks = kept.options.fallbacks;
    if (kept.options.timeout_ms) options.timeout = std::chrono::milliseconds(*kept.options.timeout_ms);
    options.command = kept.command;
    options.store_file = store_file;
    return options;
}
}
