// `weft call`: one tool alone, in its own run, so that Ctrl-C and --timeout work as in other commands.
#include "engine/engine.hpp"
#include "engine/text/text.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/view/event_entries.hpp"
#include "tools/standard.hpp"
#include "tools/tool_context.hpp"
#include "workflows/catalog/process_resources.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include "workflows/driver/values.hpp"
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
struct CallEvent : StartEvent {
    std::string tool, arguments;
};
struct ObservedEvent : StopEvent {
    std::string text;
    bool ok = true;
};
/// Prints the tool's messages at once.
class MessagePrinter final : public tools::ToolContext {
public:
    explicit MessagePrinter(Context& ctx) : ctx_(ctx) {}
    std::string key() const override { return ctx_.key(); }
    std::optional<std::chrono::steady_clock::time_point> deadline() const override { return ctx_.deadline(); }
    nlohmann::json values() const override { return ctx_.values(); }

private:
    void tell(ProgressReport told) override {
        agents::ToolProgressEvent event;
        event.done = told.done;
        event.total = told.total;
        event.text = std::move(told.text);
        driver::note(view::progress_sentence(event));  // instead of the base's, which would print it again
    }
    Context& ctx_;
};
awaitable<ObservedEvent> call(Context& ctx, CallEvent event, const tools::Registry& tools) {
    MessagePrinter teller(ctx);
    auto seen = co_await tools.call(std::move(event.tool), std::move(event.arguments), teller);
    ObservedEvent observed;
    observed.text = std::move(seen.text);
    if (seen.display)
        for (const auto& line : tools::in_lines(*seen.display)) note(line);
    observed.ok = seen.ok;
    co_return observed;
}
constexpr auto call_one = workflow("call", step<call>);  // a run, so that it can be cancelled and has a deadline

ExitCode call_tool(const Choices& choices) {
    Interrupts interrupts;
    const catalog::ProcessResources process(choices.agent, note,
                                            {.while_starting = ending_if_seen(interrupts), .only_tool = choices.tool});
    auto& tools = process.tools();
    for (const auto& option : tools::tool_options)
        if (option.tool == choices.tool && !tools.find(choices.tool))
            throw Error(Code::usage,
                        std::string(tools::needs(option.tool)) + ": add " + option.flag + ' ' + option.value_name);
    const auto only = tools.only({choices.tool});  // throws for an unknown tool
    if (!is_blank(choices.arguments))
        read_json(choices.arguments, "the arguments of " + choices.tool);  // throws for text that is not JSON
    auto& engine = process.engine();
    CallEvent start;
    start.tool = choices.tool;
    start.arguments = choices.arguments;
    RunOptions options;
    options.timeout = choices.agent.timeout;
    options.values = catalog::values_of(choices.agent);
    auto run = engine.start(call_one.with(tools), std::move(start), options);
    Interrupts::InterruptWatch watch(interrupts, [run]() mutable { run.cancel(); });
    const auto observed = engine.wait(run.result());
    say(observed.text);
    return observed.ok ? ExitCode::ok : ExitCode::failed;
}
constexpr auto call_examples =
    R"(The exit code is 0 if the tool succeeded, 5 if it reported an error, and 2 for arguments that are not JSON.

  weft call math_calculator '{"expression": "(17200 - 5500) / 5500 * 100"}'
  weft call sql_db_query '{"sql_query": "SELECT COUNT(*) FROM ORDERS"}' --db shop.db
  weft call files__list_directory '{"path": "."}' --mcp servers.json
)";
}

DriverCommand call_command() {
    using enum OptionGroup;
    return {"call",
            "call one tool, and print its result",
            {tool, sample_database, writing, tool_options, tool_servers, tool_servers_output, timeout, values},
            call_tool,
            call_examples};
}
}
