// The order of the members is the order of the end: the engine goes first, because its work still uses all the others.
#include "workflows/catalog/setup.hpp"
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/answer_form.hpp"
#include "steps/agents/memory/memory.hpp"
#include "steps/agents/memory/memory_file.hpp"
#include "steps/agents/native/options.hpp"
#include "steps/agents/react/dialect.hpp"
#include "steps/agents/reflect/options.hpp"
#include "steps/agents/reflect/templates.hpp"
#include "steps/models/prices.hpp"
#include "tools/mcp/servers.hpp"
#include "tools/registry.hpp"
#include "tools/sql/database.hpp"
#include "tools/standard.hpp"
#include "workflows/catalog/dialects.hpp"
#include "workflows/catalog/kept_run.hpp"
#include "workflows/catalog/mcp_servers.hpp"
#include "workflows/catalog/models.hpp"
#include "workflows/catalog/open_store.hpp"
#include "workflows/catalog/stand_ins.hpp"
#include <map>
#include <optional>

namespace weft::catalog {
struct Setup::Parts {
    // In this order: the engine goes first, and with it all that may still use the others.
    std::optional<tools::Database> database;
    std::unique_ptr<tools::mcp::Servers> mcp;
    std::optional<tools::Registry> registry;
    struct AgentForModel {  // with one model
        models::ChatModel& model;
        tools::Registry tools;
        std::unique_ptr<agents::Dialect> dialect;
    };
    std::optional<std::optional<std::string>> template_text;
    std::vector<std::unique_ptr<AgentForModel>> agents;
    std::optional<agents::ReactOptions> react;
    std::optional<agents::ReflectOptions> reflect;
    std::optional<agents::ToolAgentOptions> tool_agent;
    agents::ConversationMemory memory;
    std::optional<agents::MemoryFile> memory_file;
    UnreadMemory unread;
    std::optional<UnaskedModel> unasked;
    std::optional<Models> models;
    std::function<models::ChatModel&(models::ChatModel&)> watch;
    models::ChatModel& watched(models::ChatModel& model) const { return watch ? watch(model) : model; }
    std::shared_ptr<agents::Memory> memory_of_run;
    StoreNotes store_notes;
    std::unique_ptr<Store> store;
    Observer* observer = nullptr;
    std::optional<std::chrono::milliseconds> lease;
    std::function<std::string()> tells;
    std::function<void()> while_starting;
    std::optional<std::string> only_tool;
    std::optional<Engine> engine;
};

Setup::Setup(AgentOptions options, Note note)
    : own_options_(std::move(options)), options_(own_options_), note_(std::move(note)), parts_(new Parts) {}
Setup::Setup(Setup& of_all, OfRun own)
    : of_all_(&of_all),
      own_options_(own.options.value_or(AgentOptions())),
      options_(own.options ? own_options_ : of_all.options_),
      note_(of_all.note_),
      handler_(std::move(own.handler)),
      parts_(new Parts) {
    parts_->memory_of_run = std::move(own.memory);
}
Setup::~Setup() = default;

void Setup::observe(Observer& observer) { parts_->observer = &observer; }
void Setup::watch_store(StoreNotes notes) { parts_->store_notes = std::move(notes); }
void Setup::work(std::chrono::milliseconds lease, std::function<std::string()> tells) {
    parts_->lease = lease;
    parts_->tells = std::move(tells);
}
Engine& Setup::engine() {
    if (of_all_) return of_all_->engine();
    auto& parts = *parts_;
    if (parts.engine) return *parts.engine;
    if (!parts.store_notes && keeps_runs() && !is_store_file(options_.store_file))  // a run waits while it is away
        parts.store_notes = [note = note_](const StoreNote& said) { note(said.text); };
    if (keeps_runs()) parts.store = open_store(options_.store_file, SqliteAccess::engine, {}, parts.store_notes).store;
    return parts.engine.emplace(EngineOptions{.pool_threads = 4,
                                              .store = parts.store.get(),
                                              .park = parts.lease.has_value(),
                                              .lease = parts.lease,
                                              .tells = parts.tells,
                                              .observer = parts.observer});
}
Store* Setup::store() { return of_all_ ? of_all_->store() : parts_->store.get(); }
std::string Setup::kept_form(std::string_view workflow, const nlohmann::json& input) const {
    const auto& models = parts_->models || !of_all_ ? parts_->models : of_all_->parts_->models;
    return write_kept_run(options_, models ? models->name() : std::string(), workflow, input, handler_);
}
tools::Database& Setup::database() {
    if (of_all_) return of_all_->database();
    auto& parts = *parts_;
    if (parts.database) return *parts.database;
    if (options_.writes_database && options_.database.empty())
        throw Error(Code::usage,
                    "--db-write lets tools change a database of yours, and the sample is none: add --db FILE");
    auto& pool = engine().pool();  // which ends with the engine: work that is just ending still holds on to its loops
    if (options_.database.empty() || options_.only_replays) parts.database.emplace(pool);
    else
        parts.database.emplace(pool, options_.database, tools::SqlLimits(),
                               options_.writes_database ? tools::SqlAccess::write : tools::SqlAccess::read);
    return *parts.database;
}
static std::vector<std::string> names_of_option(const std::string& option, const std::string& list) {
    auto names = split_names(list);
    if (!list.empty() && names.empty())
        throw Error(Code::usage, option + " names no tool: write them as add,divide, or leave it out");
    return names;
}
/// What the options say of tools, each of which there has to be: a misspelt name would allow or ask about nothing.
static tools::Permissions permissions_of(const AgentOptions& options, const tools::Registry& all) {
    tools::Permissions permissions{.mode = options.permission,
                                   .allow = names_of_option("--allow", options.allow),
                                   .ask = names_of_option("--approve", options.approve),
                                   .deny = names_of_option("--deny", options.deny)};
    std::map<std::string, std::string> said;
    for (const auto& [option, names] :
         {std::pair{"--allow", &permissions.allow}, {"--approve", &permissions.ask}, {"--deny", &permissions.deny}}) {
        for (const auto& name : *names) {
            (void)all.only({name});  // throws if there is none
            if (const auto [at, is_new] = said.emplace(name, option); !is_new && at->second != option)
                throw Error(Code::usage,
                            at->second + " and " + option + " both name " + name + ": leave one of them out");
        }
    }
    return permissions;
}
namespace {
/// The time of a run begins when its tools are there, so that they have as much of their own.
std::function<void()> waiting_in_time(std::optional<std::chrono::milliseconds> limit, std::function<void()> more) {
    using Clock = std::chrono::steady_clock;
    const auto end = limit ? std::optional(Clock::now() + *limit) : std::nullopt;
    return [end, more = std::move(more)] {
        if (more) more();
        if (end && Clock::now() > *end)
            throw Error(Code::timed_out, "the MCP servers have not started within --timeout: give it more time");
    };
}
}
void Setup::need_only(std::string tool) { parts_->only_tool = std::move(tool); }
void Setup::while_starting(std::function<void()> act) { parts_->while_starting = std::move(act); }
tools::Registry& Setup::tools() {
    if (of_all_) return of_all_->tools();
    if (!parts_->registry) {
        tools::Given given{database()};
        if (!options_.web_hosts.empty()) given.web_hosts = split_names(options_.web_hosts);
        auto all = tools::standard(given);
        if (!options_.mcp.empty()) {
            parts_->mcp = mcp_servers(options_.mcp, note_, options_.mcp_output,
                                      waiting_in_time(options_.timeout, parts_->while_starting), parts_->only_tool);
            add_tools(all, *parts_->mcp, note_);
        }
        const auto names = split_names(options_.tools);
        if (!options_.tools.empty() && names.empty())
            throw Error(Code::usage, "--tools names no tool: write them as add,divide, or leave it out for all");
        if (!options_.tools.empty()) all = all.only(names);
        all.permit(permissions_of(options_, all));
        parts_->registry.emplace(std::move(all));
    }
    return *parts_->registry;
}
Models& Setup::models() {
    if (of_all_ && of_all_->models().serves_many()) return of_all_->models();
    if (parts_->models) return *parts_->models;
    if (of_all_) return parts_->models.emplace(options_, of_all_->models());
    return parts_->models.emplace(options_, engine(), note_);
}
models::ChatModel& Setup::model(std::string_view question, std::string_view workflow) {
    return parts_->watched(answering(question, workflow));
}
models::ChatModel& Setup::answering(std::string_view question, std::string_view workflow) {
    agents::check_question(question);  // before a model is looked for
    if (!options_.only_replays) return models().answering(question, workflow);
    if (!parts_->unasked) parts_->unasked.emplace(options_.model);
    return *parts_->unasked;
}
void Setup::watch_models(std::function<models::ChatModel&(models::ChatModel&)> watch) {
    parts_->watch = std::move(watch);
}
Setup::Agent Setup::agent(std::string_view question) {
    check_dialect(options_.dialect);  // before a model is looked for
    tools();
    auto& all = parts_->agents;
    auto& model = answering(question, "react");
    const auto seen = [this](const Parts::AgentForModel& spoken) {
        return Agent{parts_->watched(spoken.model), spoken.tools, *spoken.dialect};
    };
    for (const auto& spoken : all)
        if (&spoken->model == &model) return seen(*spoken);
    auto& text = (of_all_ ? of_all_ : this)->parts_->template_text;
    if (!text) text = template_text(options_);
    auto spoken = std::make_unique<Parts::AgentForModel>(Parts::AgentForModel{
        model, tools_for(options_.dialect, tools(), model, react_options().sampling, options_.fallback), nullptr});
    spoken->dialect = make_dialect(options_.dialect, spoken->tools, *text);
    return seen(*all.emplace_back(std::move(spoken)));
}
void Setup::prepare_agent(bool has_dialect) {
    tools();
    if (has_dialect) make_dialect(options_.dialect, tools(), template_text(options_));
    else reflect_options();  // throws for what is wrong with it, as the other does
    models();
    memory();
    tool_agent_options();
}
agents::Memory& Setup::memory() {
    if (options_.only_replays) return parts_->unread;
    if (parts_->memory_of_run) return *parts_->memory_of_run;
    if (options_.memory_file.empty()) return parts_->memory;
    if (!parts_->memory_file) parts_->memory_file.emplace(engine().pool(), options_.memory_file);
    return *parts_->memory_file;
}
agents::ReactOptions& Setup::react_options() {
    if (shares_options()) return of_all_->react_options();
    if (!parts_->react) {
        auto& react = parts_->react.emplace();
        if (const auto usual = habits_of(options_.dialect).max_steps) react.max_steps = *usual;
        if (options_.max_steps) react.max_steps = options_.max_steps;
        react.context_tokens = options_.context_tokens;
        react.summarise = options_.summarise;
        react.sampling.temperature = options_.temperature;
        react.system = system_text(options_.system);
        react.budget = options_.budget;
        react.restart = options_.restart;
        if (!options_.prices_file.empty())
            react.prices = std::make_shared<const models::PriceTable>(
                models::PriceTable::from_file(options_.prices_file));
        else if (react.budget.cost > 0)
            throw Error(Code::usage, "--budget cost=... needs to know what tokens cost: add --prices FILE");
    }
    return *parts_->react;
}
agents::ReflectOptions& Setup::reflect_options() {
    if (shares_options()) return of_all_->reflect_options();
    if (!parts_->reflect) {
        static_cast<agents::ReactOptions&>(parts_->reflect.emplace()) = react_options();
        parts_->reflect->parallel = options_.parallel;
        if (const auto text = template_text(options_))
            parts_->reflect->templates = std::make_shared<const agents::ReflectTemplates>(*text);
    }
    return *parts_->reflect;
}
agents::ToolAgentOptions& Setup::tool_agent_options() {
    if (shares_options()) return of_all_->tool_agent_options();
    if (!parts_->tool_agent) {
        static_cast<agents::ReactOptions&>(parts_->tool_agent.emplace()) = react_options();
        if (!options_.schema_file.empty())
            parts_->tool_agent->form = agents::AnswerForm::from_file(options_.schema_file);
    }
    return *parts_->tool_agent;
}
}
