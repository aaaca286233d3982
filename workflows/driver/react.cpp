// `weft react`, `weft agent` and `weft reflect`: one question, or a conversation in which the first mistake decides the
// exit code. The table of agents is at the end: a new one is a row there, and one of the catalogue.
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/setup.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/interrupts.hpp"
#include "workflows/driver/lines.hpp"
#include "workflows/driver/options.hpp"
#include "workflows/driver/session.hpp"
#include <algorithm>
#include <CLI/CLI.hpp>
#include <filesystem>

namespace weft::driver {
namespace {
struct Command {
    catalog::AgentOptions agent;
    Show show;
    std::vector<std::string> words;
    bool summarises = true;  // --summarize has an effect
};
bool is_blank(const std::string& line) { return line.find_first_not_of(" \t\r\n") == line.npos; }

/// The next line that can be read. Nothing at the end of the input.
std::optional<std::string> next_question(Session& session, Lines& lines, Exit& first) {
    for (;;) {
        try {
            return lines.next("weft> ");
        } catch (const Error& error) {
            if (error.code() != Code::usage) throw;
            const auto exit = session.refuse(error);
            first = first == Exit::ok ? exit : first;
        }
    }
}
Exit converse(Session& session, Lines& lines, Interrupts& interrupts) {
    Exit first = Exit::ok;
    const auto keep = [&first](Exit exit) { first = first == Exit::ok ? exit : first; };
    try {
        while (auto line = next_question(session, lines, first)) {
            if (is_blank(*line)) continue;
            if (lines.terminal() && (*line == "exit" || *line == "quit")) break;
            const auto exit = session.ask(*line);
            keep(exit);
            if (interrupts.terminated()) {
                keep(Exit::cancelled);
                break;
            }
            if (exit == Exit::cancelled && !lines.terminal()) break;
            if (lines.terminal()) interrupts.forget();
        }
    } catch (const Error& error) {
        complain(error.what());
        keep(exit_of(error.code()));
    }
    return first;
}
/// What is read and what is written are files of their own: a page must not replace a database.
void refuse_shared_files(const Command& command) {
    const auto& agent = command.agent;
    const std::pair<const char*, std::string> files[] = {
        {"--db", agent.database},
        {"--memory", agent.memory_file},
        {"--log-file", command.show.log_file},
        {"--html", command.show.html_file},
        {"--template", agent.template_file},
        {"--schema", agent.schema_file},
        {"--prices", agent.prices_file},
        {"--record", agent.record_file},
        {"--system", agent.system.starts_with('@') ? agent.system.substr(1) : std::string()},
        {"--model", agent.model.starts_with("script:") ? agent.model.substr(7) : std::string()},
    };
    const auto place = [](const std::string& file) {
        std::error_code error;
        return std::filesystem::weakly_canonical(file, error);
    };
    for (const auto& one : files)
        for (const auto* other = &one + 1; other != std::end(files); ++other)
            if (!one.second.empty() && !other->second.empty() && place(one.second) == place(other->second))
                throw Error(Code::usage, std::string(one.first) + " and " + other->first + " name the same file, " +
                                             one.second + ": give each its own");
}
/// What would have no effect may be a mistake.
void refuse_idle_summaries(const Command& command) {
    if (!command.agent.summarise) return;
    if (!command.summarises)
        throw Error(Code::usage, "--summarize is for `weft react` and `weft agent`: reflect shortens what is old by "
                                 "itself, so leave it out");
    if (command.agent.context_tokens == 0)
        throw Error(Code::usage, "--summarize needs to know how long a prompt may be: add --context TOKENS");
}
Exit ask(Command& command) {
    refuse_idle_summaries(command);
    refuse_shared_files(command);
    if (!command.show.html_file.empty() && command.words.empty())
        throw Error(Code::usage, "--html shows one question: write it on the command line");
    Interrupts interrupts;
    catalog::Setup setup(command.agent, note);
    if (!command.words.empty()) {
        Session session(setup, interrupts, command.show);
        return session.ask(joined_words(command.words));
    }
    setup.prepare_agent(catalog::find_workflow(command.show.workflow).has_dialect);
    Lines lines(interrupts, {.ctrl_c_drops = true});
    command.show.one_line = !lines.terminal();
    Session session(setup, interrupts, command.show);
    if (lines.terminal() && !command.show.quiet) note("ask; Ctrl-C stops an answer, Ctrl-D or exit ends");
    return converse(session, lines, interrupts);
}

void add_show_options(CLI::App& sub, Show& show) {
    auto* json = sub.add_flag("--json", show.json, "print the result as a JSON object in one line");
    sub.add_flag("--events", show.events, "print every event as a line of JSON, in place of answer and trace")
        ->excludes(json);
    auto* quiet = sub.add_flag("--quiet,-q", show.quiet, "show no trace");
    sub.add_flag("--verbose,-v", show.verbose, "show long observations whole, the model and the tokens")
        ->excludes(quiet);
    never_empty(*sub.add_option("--log-file", show.log_file,
                                "append a line for each step to this file, with -v whole messages too; never a key")
                     ->type_name("FILE"));
    never_empty(*sub.add_option("--html", show.html_file, "write the trace to this file, as a page for a browser")
                     ->type_name("FILE"));
}
std::shared_ptr<Command> add_agent(CLI::App& sub, Action& action) {
    auto command = std::make_shared<Command>();
    sub.add_option("QUESTION", command->words, "what to ask; without it, a conversation")->type_name("");
    add_model_options(sub, command->agent);
    add_prompt_options(sub, command->agent);
    add_calling_options(sub, command->agent);
    add_spending_options(sub, command->agent);
    add_memory_options(sub, command->agent);
    add_timeout(sub, command->agent);
    add_show_options(sub, command->show);
    sub.final_callback([command, &action] { action = [command] { return ask(*command); }; });
    return command;
}

// What is one agent's own.

void add_schema(CLI::App& sub, Command& command) {
    never_empty(*sub.add_option("--schema", command.agent.schema_file,
                                "a JSON Schema that the answer has to fit; the answer is JSON then")
                     ->type_name("FILE"));
}
void add_reflecting(CLI::App& sub, Command& command) {
    command.show.traces_answer = true;
    command.summarises = false;
    sub.add_flag("--parallel", command.agent.parallel, "answer sub-questions side by side; none sees another's answer");
    never_empty(*sub.add_option("--template", command.agent.template_file,
                                "a file with templates of the prompts; `weft describe reflect` shows the usual ones")
                     ->type_name("FILE"));
}
constexpr auto about_react = R"(The trace goes to standard error, the answer to standard output.

Without a question it is a conversation: on a terminal with line editing, else with one question per line of standard
input. There every answer is one line, its line breaks turned into blanks; a question that fails has an empty line, and
with --json an object that says why. Blank lines are left out. The agent remembers what was said before.

  weft react "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
  weft react --model ollama:llama3.2:3b --db shop.db "Who are our five best customers?"
  weft react --json --tools math_calculator "What is 17 * 23?"
  weft react --events "..." | grep ObservationEvent
  weft react --dialect function-call --html trace.html "What is 465 times 321, plus 95297?"
  weft react < questions.txt > answers.txt
)";
constexpr auto about_agent =
    R"(Tools are offered to the model through its protocol, and calls of one reply run side by side.
With a model or a server that cannot do that the agent talks in text, as `weft react` does, and says so in one line.
Everything else is as with `weft react`.

  weft agent "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
  weft agent --model anthropic:claude-sonnet-4-5 --schema answer.json "Sales of Q1 and Q2 of 2024?"
  weft agent --budget tokens=20000,tool_calls=8 --fallback ollama:llama3.2 "..."
)";
constexpr auto about_reflect =
    R"(Each turn is two requests: what to think of the situation, then what to do. A question may be
decomposed into at most three sub-questions, each answered by a run of its own. Everything else is as with `weft react`.

  weft reflect "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?" --html trace.html
  weft reflect --memory memory.json --model openai:gpt-4o "How many orders were there in 2024?"
)";

struct AgentCommand {
    const char *name, *workflow, *description, *footer;
    void (*add_own)(CLI::App&, Command&);
};
constexpr AgentCommand agents[] = {
    {"react", "react", "ask the agent that reasons, calls tools and observes", about_react,
     [](CLI::App& sub, Command& command) { add_dialect_options(sub, command.agent); }},
    {"agent", "tool_agent", "ask the agent whose model calls tools by itself", about_agent, add_schema},
    {"reflect", "reflect", "ask the agent that reflects first, and takes hard questions apart", about_reflect,
     add_reflecting}};
}

void add_agents(CLI::App& app, Action& action) {
    for (const auto& agent : agents) {
        auto& sub = *app.add_subcommand(agent.name, agent.description);
        if (std::string_view(agent.name) != agent.workflow) sub.alias(agent.workflow);
        const auto command = add_agent(sub, action);
        command->show.workflow = agent.workflow;
        agent.add_own(sub, *command);
        sub.footer(agent.footer);
    }
}
bool is_agent(std::string_view command) {
    return std::any_of(std::begin(agents), std::end(agents),
                       [command](const auto& agent) { return command == agent.name || command == agent.workflow; });
}
}
