// `weft react`, `weft agent` and `weft reflect`: one question, or a conversation, whose exit code is that of the first
// failure. A new agent is a row in the table at the end, and a row of the catalogue.
#include "engine/text/text.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/models.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/run_watcher.hpp"
#include "workflows/driver/session.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/input_lines.hpp"
#include "workflows/driver/terminal/interrupts.hpp"

namespace weft::driver {
namespace {
struct AgentCommand {
    const char *name, *workflow, *about, *examples;
    std::vector<OptionGroup> own;  // options of this agent only
    bool reflects = false;         // shortens old turns by itself, and does not stream its answer
};

/// The next readable line; std::nullopt at the end of the input.
std::optional<std::string> next_question(Session& session, InputLines& lines, ExitCode& first) {
    for (;;) {
        try {
            return lines.next("weft> ", {.ctrl_c_drops = true, .deadline = {}});
        } catch (const Error& error) {
            if (error.code() != Code::usage) throw;
            const auto exit = session.refuse(error);
            first = first == ExitCode::ok ? exit : first;
        }
    }
}
constexpr std::string_view of_a_conversation = "  an answer takes the earlier questions and answers into account\n"
                                               "  Ctrl-C     stop an answer, or drop the current line\n"
                                               "  exit       end, as Ctrl-D does\n"
                                               "  /help      this list\n";
/// Executes a line for the driver at a terminal. Returns false for any other line.
bool is_for_the_driver(const std::string& line) {
    const auto word = trimmed(line);
    if (word == "/help" || word == "help" || word == "/?" || word == "?") {
        tell(of_a_conversation);
        return true;
    }
    if (!word.starts_with('/') || word.find_first_of(" ./", 1) != word.npos || word.size() > 20) return false;
    complain("there is no command " + std::string(word) + "; /help lists the commands");
    return true;
}
bool ends_it(const std::string& line) {
    const auto word = trimmed(line);
    for (const auto* end : {"exit", "quit", "/exit", "/quit"})
        if (word == end) return true;
    return false;
}
/// Shows what can be asked, and where a model comes from.
void welcome(const catalog::Models& models, std::string_view workflow) {
    note("ask a question; Ctrl-C stops an answer, Ctrl-D or exit ends, /help says more");
    if (models.found()) return;
    std::string text = "There is no model";
    if (const auto questions = models.sample_questions(workflow); !questions.empty()) {
        text += ", so only bundled scripts can answer, with real tools. They know these questions:\n";
        for (const auto& one : questions) text += "  " + one + '\n';
    } else {
        text += ".\n";
    }
    text += "To ask anything else, or to see how it works:\n";
    for (const auto& way : models.ways()) text += "  " + way + '\n';
    tell(text);
}
ExitCode converse(Session& session, InputLines& lines, Interrupts& interrupts) {
    ExitCode first = ExitCode::ok;
    bool has_question = false;
    const auto keep = [&first](ExitCode exit) { first = first == ExitCode::ok ? exit : first; };
    try {
        while (auto line = next_question(session, lines, first)) {
            if (is_blank(*line)) continue;
            has_question = true;
            if (lines.terminal() && ends_it(*line)) break;
            if (lines.terminal() && is_for_the_driver(*line)) continue;
            const auto exit = session.ask(*line);
            keep(exit);
            if (interrupts.terminated()) {
                keep(ExitCode::cancelled);
                break;
            }
            if (exit == ExitCode::cancelled && !lines.terminal()) break;
            if (lines.terminal()) interrupts.forget();
        }
    } catch (const Error& error) {
        complain(error.what());
        keep(exit_of(error));
    }
    if (!has_question && first == ExitCode::ok && !lines.terminal())
        note("standard input has no question, so there is no answer: give one on the command line, write one per line, "
             "or start this at a terminal for a conversation");
    return first;
}
/// Refuses options without effect, which may be mistakes.
void refuse_idle_summaries(const AgentCommand& agent, const Choices& choices) {
    if (!choices.agent.summarise) return;
    if (agent.reflects)
        throw Error(Code::usage, "--summarize is for `weft react` and `weft agent`: reflect shortens old turns "
                                 "by itself, so leave it out");
    if (choices.agent.context_tokens == 0)
        throw Error(Code::usage, "--summarize needs to know how long a prompt may be: add --context TOKENS");
}
DisplayOptions show_of(const AgentCommand& agent, DisplayOptions show) {
    show.workflow = agent.workflow;
    show.traces_answer = agent.reflects;
    return show;
}
ExitCode ask(const AgentCommand& agent, const Choices& choices) {
    refuse_idle_summaries(agent, choices);
    const auto options = keeping_options(choices, agent.name);
    if (!choices.show.html_file.empty() && !choices.question)
        throw Error(Code::usage, "--html shows one question: give the question on the command line");
    auto show = show_of(agent, choices.show);
    Interrupts interrupts;
    RunWatcher watcher;
    const catalog::ProcessResources process(options, note, {.while_starting = ending_if_seen(interrupts)});
    catalog::RunResources here(process);
    if (choices.question) {
        Session session(here, interrupts, watcher, show);
        return session.ask(*choices.question);
    }
    here.prepare_agent(catalog::find_workflow(show.workflow).has_dialect);
    InputLines lines(interrupts);
    show.one_line = !lines.terminal();
    Session session(here, interrupts, watcher, show);
    session.read_from(lines);
    if (lines.terminal() && !show.quiet) welcome(process.models(), show.workflow);
    return converse(session, lines, interrupts);
}

constexpr auto about_react = R"(The trace goes to standard error, the answer to standard output.

Without a question it is a conversation: on a terminal with line editing, else with one question per line of standard
input. There every answer is one line, with blanks for line breaks; a failed question has an empty line, and
with --json an object with its error. Blank lines are skipped. The agent remembers the conversation.

  weft react "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
  weft react --model ollama:llama3.2:3b --db shop.db "Who are our five best customers?"
  weft react --json --tools math_calculator "What is 17 * 23?"
  weft react --events "..." | grep ObservationEvent
  weft react --dialect function-call --html trace.html "What is 465 times 321, plus 95297?"
  weft react < questions.txt > answers.txt
)";
constexpr auto about_agent =
    R"(Tools are offered to the model through its protocol, and calls of one reply run side by side.
If the model or server cannot do that, the agent uses text, as `weft react` does, and reports this in one line.
Everything else is as with `weft react`.

  weft agent "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
  weft agent --model anthropic:claude-sonnet-4-5 --schema answer.json "Sales of Q1 and Q2 of 2024?"
  weft agent --budget tokens=20000,tool_calls=8 --fallback ollama:llama3.2 "..."
  weft agent --mcp servers.json --allow files__write_file "Which file here is the largest? Write that into a file."
)";
constexpr auto about_reflect =
    R"(Each turn has two requests: for thoughts about the situation, then for an action. A question may be
decomposed into at most three sub-questions, each answered by a run of its own. Everything else is as with `weft react`.

  weft reflect "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?" --html trace.html
  weft reflect --memory memory.json --model openai:gpt-4o "How many orders were there in 2024?"
)";

const std::vector<AgentCommand>& agents() {
    using enum OptionGroup;
    static const std::vector<AgentCommand> all = {
        {"react",
         "react",
         "ask the agent that reasons, calls tools and observes",
         about_react,
         {dialect, dialect_parts}},
        {"agent", "tool_agent", "ask the agent whose model calls tools by itself", about_agent, {schema}},
        {"reflect",
         "reflect",
         "ask the agent that reflects first, and takes hard questions apart",
         about_reflect,
         {reflecting},
         true},
    };
    return all;
}
/// The options in the order of the help; each agent's own come last.
std::vector<OptionGroup> options_of_all() {
    using enum OptionGroup;
    return {question_or_none, model,    database, prompt,  approving, writing, tool_options, tool_servers, system,
            calling,          spending, memory,   timeout, values,    keeping, result,       quiet,        details};
}
DriverCommand command_of(const AgentCommand& agent) {
    DriverCommand command{.name = agent.name, .about = agent.about, .examples = agent.examples};
    if (std::string_view(agent.name) != agent.workflow) command.alias = agent.workflow;
    command.takes = options_of_all();
    command.takes.insert(command.takes.end(), agent.own.begin(), agent.own.end());
    command.act = [&agent](const Choices& choices) { return ask(agent, choices); };
    return command;
}
const AgentCommand* find_agent(std::string_view command) {
    for (const auto& agent : agents())
        if (command == agent.name || command == agent.workflow) return &agent;
    return nullptr;
}
}

std::vector<DriverCommand> agent_commands() {
    std::vector<DriverCommand> all;
    for (const auto& agent : agents()) all.push_back(command_of(agent));
    return all;
}
bool is_agent(std::string_view command) { return find_agent(command) != nullptr; }
DisplayOptions show_of_agent(std::string_view command, DisplayOptions show) {
    return show_of(*find_agent(command), std::move(show));
}
}
