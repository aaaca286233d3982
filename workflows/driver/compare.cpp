#include "engine/engine.hpp"
#include "engine/json.hpp"
#include "steps/trace/side_by_side.hpp"
#include "steps/trace/trace_printer.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/interrupts.hpp"
#include "workflows/driver/surroundings.hpp"
#include "workflows/plain_answer.hpp"
#include "workflows/react.hpp"
#include <CLI/CLI.hpp>

namespace weft::driver {
namespace {
struct Command {
    AgentOptions agent;
    std::vector<std::string> words;
    bool json = false, quiet = false;
};
template <class Bound> steps::AnswerEvent answer(Engine& engine, Interrupts& interrupts, const Bound& agent,
                                                 const Command& command,
                                                 const std::function<void(const AnyEvent&)>& on_event) {
    steps::UserMessageEvent start;
    start.text = joined_words(command.words);
    RunOptions options;
    options.timeout = command.agent.timeout;
    auto run = engine.start(agent, std::move(start), options);
    Interrupts::Watch watch(interrupts, [run]() mutable { run.cancel(); });
    while (auto event = engine.wait(run.next_event())) on_event(*event);
    return engine.wait(run.result());
}
Exit compare(const Command& command) {
    Interrupts interrupts;
    Surroundings here(command.agent);
    const auto question = joined_words(command.words);
    auto& model = here.model(question, "plain_answer");  // a script of the agent's is none of a plain model's
    auto& engine = here.engine();
    const auto plain = answer(engine, interrupts, workflows::plain_answer.with(model, here.react_options()), command,
                              [](const AnyEvent&) {});
    const auto agent = here.agent(question);
    steps::TracePrinter trace(tell, {.colour = wants_colour()});
    const auto reasoned = answer(
        engine, interrupts,
        workflows::react.with(agent.model, agent.dialect, here.memory(), agent.tools, here.react_options()), command,
        [&](const AnyEvent& event) {
            if (!command.quiet) trace.on(event);
        });
    if (command.json) say_json({{"question", question}, {"plain", to_json(plain)}, {"agent", to_json(reasoned)}});
    else say_trusted(steps::side_by_side({"without the agent", plain.response}, {"with the agent", reasoned.response}));
    return reasoned.outcome == steps::Outcome::limit ? Exit::limit : Exit::ok;
}
}

void add_compare(CLI::App& app, Action& action) {
    auto command = std::make_shared<Command>();
    auto& sub = *app.add_subcommand("compare", "answer a question by the model alone and by the agent, side by side");
    sub.add_option("QUESTION", command->words, "what to ask")->required()->type_name("");
    add_model_options(sub, command->agent);
    add_prompt_options(sub, command->agent);
    add_dialect_options(sub, command->agent);
    add_timeout(sub, command->agent);
    sub.add_flag("--json", command->json, "print both results as a JSON object in one line");
    sub.add_flag("--quiet,-q", command->quiet, "show no trace");
    sub.footer(R"(  weft compare --model openai:gpt-4o-mini --dialect function-call "What is 465 times 321, plus 95297?"
)");
    sub.final_callback([command, &action] { action = [command] { return compare(*command); }; });
}
}
