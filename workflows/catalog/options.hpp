// The options of an agent and of its resources, and the table of them. The driver fills them from the command line, so
// error sentences name the driver's options. A new option is a member and a row here, a row in
// workflows/driver/options.cpp, and the place that reads the member. The options of tools are in tools/options.hpp.
#pragma once
#include "engine/json/shape_of.hpp"
#include "engine/json/text.hpp"
#include "steps/agents/common/budget.hpp"
#include "tools/options.hpp"
#include "tools/permission.hpp"
#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::catalog {
/// Receives a message about each choice that no option made.
using OnChoice = std::function<void(std::string_view)>;

/// The choices of which an agent and its resources are made.
struct AgentOptions : tools::ToolOptions {
    std::string command;     // the driver's command, kept with stored runs
    std::string store_file;  // the store of the runs; empty: runs are not stored
    std::string model,       // PROVIDER:NAME, script:NAME or a bare name; empty: chosen automatically
        base_url;            // the model's server; empty: chosen automatically
    std::string database;    // empty: the sample
    std::string tools;       // names with commas; empty: all
    std::string approve;     // names with commas: tools that need an approval
    std::string allow,       // likewise: tools that run without a question
        deny;                // likewise: tools that never run
    tools::PermissionMode permission = tools::PermissionMode::ask;  // a column of the table in tools/permission.hpp
    bool writes_database = false;                                   // --db-write: sql_db_query may change it
    std::string system;                                             // text, or @FILE
    std::string dialect = "react";       // name of a form of prompts and replies (dialects.hpp)
    std::string template_file;           // empty: the dialect's own
    std::string memory_file;             // empty: memory of this process only
    std::vector<std::string> mcp;        // servers of tools, and files that list servers: mcp_servers.hpp
    bool mcp_output = false;             // report the output of these servers
    std::string schema_file;             // the answer's schema; empty: any text
    std::string prices_file;             // empty: costs are unknown
    std::string record_file;             // empty: nothing is recorded
    std::string cache_file;              // cached replies; empty: no cache
    std::vector<std::string> fallbacks;  // models for when the first one is not available
    agents::Budget budget;               // bounds of a run's costs
    std::vector<std::pair<std::string, std::string>> values;  // RunOptions::values of its runs
    bool restart = false;                                     // repeat the request of a reply that breaks off
    int max_steps = 0;                                        // 0: the default
    int context_tokens = 0;                                   // 0: no bound
    bool summarise = false;                                   // summarise old turns instead of dropping them
    std::optional<double> temperature;                        // from 0 to 2; empty: the provider's default
    std::optional<std::chrono::milliseconds> timeout;         // maximum time of a run; empty: no limit
    bool whole_replies = false;                               // --no-stream
    bool no_prompt_cache = false;                             // do not ask providers to cache prompts
    bool fallback = true;       // `function-call` has llm_tool, which asks the model itself
    bool parallel = false;      // answer sub-questions concurrently
    bool uses_scripts = true;   // without a model, a bundled script answers its own question
    bool only_replays = false;  // call no model, read no database and no memory
};

/// The texts of an option that may be repeated.
using Texts = std::vector<std::string>;
/// Pairs of a name and a text, from an option that may be repeated.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;
/// A member of AgentOptions that an option fills.
using OptionMember = std::variant<std::string AgentOptions::*, Texts AgentOptions::*, NamedTexts AgentOptions::*,
                                  bool AgentOptions::*, int AgentOptions::*, std::optional<double> AgentOptions::*,
                                  std::optional<std::chrono::milliseconds> AgentOptions::*,
                                  agents::Budget AgentOptions::*, tools::PermissionMode AgentOptions::*>;

/// The meaning of a text, which decides its stored form (kept_run.cpp).
enum class TextKind {
    plain,         // stored unchanged
    file,          // a path, stored as an absolute one
    text_or_file,  // a text, or @ and a path, stored as an absolute one
    model,         // a model's name; the path of a recording or script is stored as an absolute one
    base_url,      // an address, checked before it is stored
    servers        // an MCP server or a file of servers, stored by name without its secrets
};
/// The storage of an option with a run.
enum class OptionStorage {
    no,    // not stored
    yes,   // stored by every program
    later  // stored, but runs of older programs lack it
};
/// The value that a worker uses if its own and the run's differ.
enum class OnWorker {
    own,      // the worker's; ignores the run's
    refused,  // no value: the worker refuses the run
    chosen,   // the run's
    lower     // the lower of both, for numbers, flags and budgets
};
/// The bounds of a number, both valid; milliseconds for a time.
struct Bounds {
    double least = 0,  // smallest valid number
        most = 0;      // largest valid number
};
/// An option of an agent: its name, its member, and its treatment in stored runs.
struct OptionRow {
    std::string_view flag;  // name on the command line
    OptionMember member;
    json_detail::Field field;  // the JSON form
    OptionStorage stored;      // whether runs keep it
    OnWorker on_worker;        // the value that a worker uses
    TextKind kind;             // for a text
    Bounds bounds;             // for a number and a time
};
/// The row of a member. `key` is its name in the JSON of a stored run; empty: not stored.
template <auto member> constexpr OptionRow option_row(std::string_view flag, std::string_view key, OptionStorage stored,
                                                      OnWorker on_worker, TextKind kind = TextKind::plain,
                                                      Bounds bounds = {}) {
    using Type = std::remove_reference_t<decltype(std::declval<AgentOptions&>().*member)>;
    const auto of = [](void* options) -> void* { return &(static_cast<AgentOptions*>(options)->*member); };
    return {
        flag,
        member,
        {.name = key, .shape = &json_detail::table_of<Type>, .of = of, .keeps_default = stored == OptionStorage::later},
        stored,
        on_worker,
        kind,
        bounds};
}
/// The row of a number or a time, which is stored, and whose bounds stored runs have to keep.
template <auto member>
constexpr OptionRow number_row(std::string_view flag, std::string_view key, OnWorker on_worker, Bounds bounds) {
    return option_row<member>(flag, key, OptionStorage::yes, on_worker, TextKind::plain, bounds);
}
/// The row of tools::tool_options[i]. A worker refuses runs that have a text for it.
template <std::size_t i> constexpr OptionRow tool_row() {
    constexpr auto& option = tools::tool_options[i];
    return option_row<option.text>(option.flag, option.key, option.later ? OptionStorage::later : OptionStorage::yes,
                                   OnWorker::refused, option.is_file ? TextKind::file : TextKind::plain);
}
/// A worker's message names the first refused option in this order.
inline constexpr auto option_rows = []<std::size_t... tool>(std::index_sequence<tool...>) {
    using O = AgentOptions;
    using enum OptionStorage;
    using enum OnWorker;
    using enum TextKind;
    return std::array{
        option_row<&O::database>("--db", "database", yes, refused, file),
        option_row<&O::writes_database>("--db-write", "writes_database", later, refused),
        option_row<&O::tools>("--tools", "tools", yes, refused),
        option_row<&O::approve>("--approve", "approve", later, refused),
        option_row<&O::allow>("--allow", "allow", later, own),
        option_row<&O::deny>("--deny", "deny", later, refused),
        option_row<&O::permission>("--permission", "permission", later, refused),
        option_row<&O::system>("--system", "system", yes, refused, text_or_file),
        option_row<&O::template_file>("--template", "template_file", yes, refused, file),
        option_row<&O::memory_file>("--memory", "memory_file", yes, refused, file),
        option_row<&O::schema_file>("--schema", "schema_file", yes, refused, file),
        tool_row<tool>()...,
        option_row<&O::mcp>("--mcp", "mcp", later, refused, servers),
        option_row<&O::mcp_output>("--verbose,-v", "", no, own),
        option_row<&O::model>("--model", "model", yes, own, model),
        option_row<&O::base_url>("--base-url", "base_url", yes, own, base_url),
        option_row<&O::fallbacks>("--fallback", "fallbacks", yes, own, model),
        option_row<&O::prices_file>("--prices", "prices_file", yes, own, file),
        option_row<&O::record_file>("--record", "", no, own, file),
        option_row<&O::cache_file>("--cache", "", no, own, file),
        option_row<&O::whole_replies>("--no-stream", "whole_replies", yes, own),
        option_row<&O::no_prompt_cache>("--no-prompt-cache", "no_prompt_cache", later, own),
        number_row<&O::temperature>("--temperature", "temperature", chosen, {0, 2}),
        option_row<&O::budget>("--budget", "budget", yes, lower),
        number_row<&O::max_steps>("--max-steps", "max_steps", lower, {1, 1000}),
        number_row<&O::context_tokens>("--context", "context_tokens", lower, {256, 10'000'000}),
        option_row<&O::summarise>("--summarize", "summarise", yes, chosen),
        option_row<&O::restart>("--restart", "restart", yes, chosen),
        option_row<&O::fallback>("--no-fallback", "fallback", yes, lower),
        option_row<&O::parallel>("--parallel", "parallel", yes, chosen),
        option_row<&O::dialect>("--dialect", "dialect", yes, chosen),
        number_row<&O::timeout>("--timeout", "timeout_ms", chosen, {1, 7 * 24 * 3600 * 1000.0}),
        option_row<&O::values>("--value", "", no, chosen),  // the engine keeps them
    };
}
(std::make_index_sequence<std::size(tools::tool_options)>());
/// The row of a member.
template <auto member> constexpr const OptionRow& row_of() {
    constexpr auto is_it = [](const OptionRow& row) { return row.member == OptionMember(member); };
    constexpr auto row = std::find_if(option_rows.begin(), option_rows.end(), is_it);
    static_assert(row != option_rows.end(), "a member has no row: add one");
    return *row;
}

/// The text of --system. Throws Error{configuration} for a file that cannot be read or is longer than 256 KB.
std::string system_text(const std::string& option);
/// The text of --template, if given. Throws as system_text does.
std::optional<std::string> template_text(const AgentOptions&);
/// RunOptions::values of these options: a JSON object of texts; empty without values. Throws Error{usage} for a
/// repeated name.
JsonText values_of(const AgentOptions&);
}
