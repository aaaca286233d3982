// `weft mcp`: the catalogue and the tools for clients of MCP. Without HTTP, standard output carries only messages of
// MCP, and text for people goes to standard error. With HTTP, standard output gets the address, as in `weft serve`.
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/commands/mcp_runs.hpp"
#include "workflows/driver/listen_options.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/deadline.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include "workflows/driver/values.hpp"
#include "workflows/mcp/http_server.hpp"
#include "workflows/mcp/run_offer.hpp"
#include "workflows/mcp/stdio_server.hpp"
#include "workflows/mcp/tool_offer.hpp"
#include "workflows/server/catalog_workflows.hpp"
#include <algorithm>
#include <unistd.h>

namespace weft::driver {
namespace {
using namespace std::chrono_literals;
void refuse_options_of_http(const Choices& choices) {
    const auto& serve = choices.serve;
    if (!serve.http.empty()) return;
    const bool any = !serve.token_file.empty() || serve.no_auth || !serve.hosts.empty() || !serve.origins.empty() ||
                     !serve.certificate.empty() || !serve.key.empty();
    if (any)
        throw Error(Code::usage, "tokens, hosts, origins and certificates are for clients over HTTP: add --http "
                                 "HOST:PORT, or leave them out");
}
/// "127.0.0.1:8081", "[::1]:8081"
mcp_server::HttpOptions http_options(const ServeChoices& serve) {
    mcp_server::HttpOptions options;
    const auto colon = serve.http.rfind(':');
    const int port = colon == std::string::npos ? -1 : read_number<int>(serve.http.substr(colon + 1)).value_or(-1);
    if (port < 0 || port > 65535 || colon == 0)
        throw Error(Code::usage,
                    "--http takes an address and a port, such as 127.0.0.1:8081, not \"" + serve.http + '"');
    options.host = serve.http.substr(0, colon);
    if (options.host.starts_with('[') && options.host.ends_with(']'))
        options.host = options.host.substr(1, options.host.size() - 2);
    options.port = std::uint16_t(port);
    options.certificate = serve.certificate;
    options.key = serve.key;
    options.guard = {.hosts = serve.hosts, .origins = serve.origins, .tokens = read_tokens(serve.token_file)};
    options.without_token = serve.no_auth;
    check_listening(serve, "--http", options.host, options.guard);
    return options;
}
bool has_model(const server::ServedWorkflow& workflow) { return catalog::find_workflow(workflow.name).has_model; }
/// Instructions for the client's model, which chooses among the tools.
std::string instructions_for(const std::vector<server::ServedWorkflow>& offered) {
    std::string agents;
    for (const auto& workflow : offered)
        if (has_model(workflow)) (agents += agents.empty() ? "" : ", ") += workflow.name;
    if (agents.empty()) return {};
    return "These tools ask a model of their own, answer a question in words, and may take minutes: " + agents + ".";
}
mcp_server::CoreOptions core_options(const Choices& choices, const std::vector<server::ServedWorkflow>& offered) {
    mcp_server::CoreOptions options{.name = "weft", .title = "weft", .version = WEFT_VERSION};
    options.instructions = instructions_for(offered);
    options.calls_at_once = std::size_t(choices.serve.max_runs);
    options.timeout = choices.agent.timeout;
    options.values = catalog::values_of(choices.agent);
    return options;
}
/// Serves until the server ends by itself, or a signal stops it.
template <class Server> ExitCode serve_to_the_end(Server& server, Interrupts& interrupts, ExitDeadline& deadline) {
    const Interrupts::InterruptWatch watch(interrupts, [&server, &deadline] {
        deadline.begin();
        server.stop();
    });
    server.run();
    deadline.begin();
    return ExitCode::ok;
}
ExitCode serve_http(Engine& engine, const mcp_server::Core& core, const Choices& choices,
                    mcp_server::HttpOptions options, Interrupts& interrupts, ExitDeadline& deadline) {
    raise_descriptor_limit();
    mcp_server::McpHttpServer server(engine, core, std::move(options));
    server.listen();
    if (choices.serve.no_auth && choices.serve.token_file.empty())
        note("EVERY client that reaches this address can call everything here, because of --no-auth");
    say_trusted("MCP at " + server.url() + "\n");
    return serve_to_the_end(server, interrupts, deadline);
}
ExitCode serve_stdio(Engine& engine, const mcp_server::Core& core, Interrupts& interrupts, ExitDeadline& deadline) {
    if (::isatty(STDIN_FILENO))
        note("waiting for messages of MCP on standard input: MCP clients start this command by themselves; --http "
             "HOST:PORT serves over HTTP");
    mcp_server::StdioServer server(engine, core);
    return serve_to_the_end(server, interrupts, deadline);
}
/// The tools for runs of --store, if it is given.
class StoredRunTools {
public:
    explicit StoredRunTools(const Choices& choices) : file_(choices.stored.store) {
        if (file_.empty()) return;
        auto agent = choices.agent;
        agent.store_file = file_;
        refuse_shared_files(agent, choices.show);
        opened_ = open_beside(choices);
        options_ = {.timeout = choices.agent.timeout, .values = catalog::values_of(choices.agent)};
    }
    void offer(mcp_server::Core& core, std::vector<std::string> workflows) {
        if (file_.empty()) return;
        auto has_engine = opened_.has_engine;  // of a file: at the time of opening
        if (catalog::is_store_file(file_))
            has_engine = [file = file_](const std::string&) { return catalog::engine_holds(file); };
        tools_ = run_tools({*opened_.store, has_engine, pool_.emplace(), std::move(workflows), options_});
        for (auto& tool : mcp_server::offer_tools(tools_)) core.add(std::move(tool));
    }

private:
    const std::string file_;
    catalog::OpenedStore opened_;
    std::optional<Pool> pool_;
    RunOptions options_;
    tools::Registry tools_;
};
ExitCode serve_mcp(const Choices& choices) {
    refuse_options_of_http(choices);
    refuse_options_of_one_run(choices.agent);
    std::optional<mcp_server::HttpOptions> http;
    if (!choices.serve.http.empty()) {
        http = http_options(choices.serve);
        mcp_server::check_options(*http);  // checked before other programs start
    }
    Interrupts interrupts;
    ExitDeadline deadline(time_to_exit,
                          "the call of a tool, or other work in progress, does not end: the program ends without it");
    StoredRunTools stored(choices);
    auto agent = choices.agent;
    agent.command = "mcp";
    agent.timeout.reset();  // the server applies it to each call
    const catalog::ProcessResources process(std::move(agent), note, {.while_starting = ending_if_seen(interrupts)});
    server::CatalogWorkflows catalogue(process);
    auto offered = catalogue.offer(split_names(choices.serve.workflows));
    if (std::ranges::any_of(offered, has_model)) catalog::RunResources(process).prepare_agent(true);
    auto options = core_options(choices, offered);
    // A single token may use all calls; one of several must leave some to the others.
    const auto callers = http ? http->guard.tokens.size() : 1;
    options.calls_of_caller = callers > 1 ? std::max<std::size_t>(1, options.calls_at_once / 2) : options.calls_at_once;
    mcp_server::Core core(std::move(options));
    std::vector<std::string> names;
    for (const auto& workflow : offered) names.push_back(workflow.name);
    for (auto& workflow : offered) core.add(mcp_server::offer_run(std::move(workflow)));
    stored.offer(core, std::move(names));
    mcp_server::add_tools(core, process.tools(), note);
    auto& engine = process.engine();
    return http ? serve_http(engine, core, choices, std::move(*http), interrupts, deadline)
                : serve_stdio(engine, core, interrupts, deadline);
}
constexpr auto mcp_examples =
    R"(Programs that speak MCP, such as chat programs and editors, call the workflows and the tools by their names.
Configure this command in those that start weft by themselves; others use the address of --http.
The client asks the questions of a run; if it cannot ask, the result of the call says so.

  weft mcp
  weft mcp --workflows react,refund --model ollama:llama3.2:3b --timeout 5m
  weft mcp --store weft.db
  weft mcp --http 127.0.0.1:8081
  weft mcp --http 0.0.0.0:8081 --allow-host weft.example --token-file tokens.txt --cert weft.pem --key weft.key
)";
}

DriverCommand mcp_command() {
    using enum OptionGroup;
    return {"mcp",
            "offer the workflows and the tools to clients of MCP",
            {serving_mcp, model, calling, spending, database, prompt, approving, writing, tool_options, tool_servers,
             tool_servers_output, system, memory, dialect, dialect_parts, schema, timeout, values},
            serve_mcp,
            mcp_examples};
}
}
