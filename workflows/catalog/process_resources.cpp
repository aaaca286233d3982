// Members are destroyed in reverse order: the engine first, because its work still uses all the others.
#include "workflows/catalog/process_resources.hpp"
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "steps/models/http/store_quota.hpp"
#include "tools/mcp/servers.hpp"
#include "tools/registry.hpp"
#include "tools/sql/database.hpp"
#include "tools/standard.hpp"
#include "workflows/catalog/agent_settings.hpp"
#include "workflows/catalog/mcp_servers.hpp"
#include "workflows/catalog/models.hpp"
#include "workflows/catalog/open_store.hpp"
#include "workflows/catalog/schedules.hpp"
#include <map>

namespace weft::catalog {
struct ProcessResources::Parts {
    const std::shared_ptr<AgentSettings> agents;
    const OnChoice note;
    const ProcessOptions process;
    // The order matters: the engine is destroyed first, with all work that may still use the others.
    std::optional<tools::Database> database;
    std::unique_ptr<tools::mcp::Servers> mcp;
    std::optional<tools::Registry> registry;
    std::optional<Models> models;
    std::optional<schedule::Schedules> schedules;
    std::unique_ptr<Store> store;
    std::shared_ptr<models::StoreQuota> quota;  // closed before the store is destroyed; models outlive both
    std::optional<Engine> engine;
    ~Parts() {
        engine.reset();
        if (quota) quota->close();
    }
};

ProcessResources::ProcessResources(AgentOptions options, OnChoice note, ProcessOptions process)
    : parts_(new Parts{.agents = std::make_shared<AgentSettings>(std::move(options)),
                       .note = std::move(note),
                       .process = std::move(process)}) {}
ProcessResources::~ProcessResources() = default;

const AgentOptions& ProcessResources::options() const { return parts_->agents->options(); }
const std::shared_ptr<AgentSettings>& ProcessResources::agents() const { return parts_->agents; }
Engine& ProcessResources::engine() const {
    auto& parts = *parts_;
    if (parts.engine) return *parts.engine;
    auto notes = parts.process.store_notes;
    if (!notes && keeps_runs() &&
        !is_store_file(options().store_file))  // runs wait while the database is not available
        notes = [note = parts.note](const StoreNote& said) { note(said.text); };
    if (keeps_runs()) parts.store = open_store(options().store_file, SqliteAccess::engine, {}, notes).store;
    return parts.engine.emplace(EngineOptions{.pool_threads = 4,
                                              .store = parts.store.get(),
                                              .park = parts.process.tells != nullptr,
                                              .lease = parts.process.lease,
                                              .tells = parts.process.tells,
                                              .observer = parts.process.observer});
}
Store* ProcessResources::store() const { return parts_->store.get(); }
const schedule::Schedules& ProcessResources::schedules() const {
    auto& parts = *parts_;
    if (!parts.schedules) parts.schedules = schedule::schedules_of(scheduled_target, parts.process.on_firing);
    return *parts.schedules;
}
tools::Database& ProcessResources::database() const {
    auto& parts = *parts_;
    if (parts.database) return *parts.database;
    if (options().writes_database && options().database.empty())
        throw Error(Code::usage, "--db-write cannot change the sample database: name your own by --db FILE");
    auto& pool = engine().pool();  // the engine's pool, because ending work still uses the engine's loops
    if (options().database.empty() || options().only_replays) parts.database.emplace(pool);
    else
        parts.database.emplace(pool, options().database, tools::SqlLimits(),
                               options().writes_database ? tools::SqlAccess::write : tools::SqlAccess::read);
    return *parts.database;
}
namespace {
std::vector<std::string> names_of_option(const std::string& option, const std::string& list, const char* more = "") {
    auto names = split_names(list);
    if (!list.empty() && names.empty())
        throw Error(Code::usage, option + " names no tool: write them as add,divide, or leave it out" + more);
    return names;
}
/// The permissions of the options. Each named tool must exist: a misspelt name would have no effect.
tools::Permissions permissions_of(const AgentOptions& options, const tools::Registry& all) {
    tools::Permissions permissions{.mode = options.permission,
                                   .allow = names_of_option("--allow", options.allow),
                                   .ask = names_of_option("--approve", options.approve),
                                   .deny = names_of_option("--deny", options.deny)};
    std::map<std::string, std::string> said;
    for (const auto& [option, names] :
         {std::pair{"--allow", &permissions.allow}, {"--approve", &permissions.ask}, {"--deny", &permissions.deny}}) {
        for (const auto& name : *names) {
            (void)all.only({name});  // throws for an unknown tool
            if (const auto [at, is_new] = said.emplace(name, option); !is_new && at->second != option)
                throw Error(Code::usage,
                            at->second + " and " + option + " both name " + name + ": leave one of them out");
        }
    }
    return permissions;
}
/// The tools have --timeout to start; the time of a run begins after that.
std::function<void()> waiting_in_time(std::optional<std::chrono::milliseconds> limit, std::function<void()> more) {
    using Clock = std::chrono::steady_clock;
    const auto end = limit ? std::optional(Clock::now() + *limit) : std::nullopt;
    return [end, more = std::move(more)] {
        if (more) more();
        if (end && Clock::now() > *end)
            throw Error(Code::timed_out, "the MCP servers have not started within --timeout: give a longer one");
    };
}
}
tools::Registry& ProcessResources::tools() const {
    auto& parts = *parts_;
    if (parts.registry) return *parts.registry;
    auto all = tools::standard(database(), options());
    if (!options().mcp.empty()) {
        parts.mcp = mcp_servers(options().mcp, parts.note, options().mcp_output,
                                waiting_in_time(options().timeout, parts.process.while_starting),
                                parts.process.only_tool);
        add_tools(all, *parts.mcp, parts.note);
    }
    const auto names = names_of_option("--tools", options().tools, " for all");
    if (!names.empty()) all = all.only(names);
    all.permit(permissions_of(options(), all));
    return parts.registry.emplace(std::move(all));
}
Models& ProcessResources::models() const {
    auto& chosen = parts_->models;
    if (chosen) return *chosen;
    auto& own = engine();
    if (parts_->store) parts_->quota = std::make_shared<models::StoreQuota>(*parts_->store);
    return chosen.emplace(options(), own, parts_->note, parts_->quota);
}
std::string ProcessResources::model_name() const { return parts_->models ? parts_->models->name() : std::string(); }
}
