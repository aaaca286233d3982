// The driver `weft`: runs workflows from the command line. Each command has its file in workflows/driver/.
#include "steps/models/protocols/protocol.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/mistakes.hpp"
#include "workflows/driver/options.hpp"
#include "workflows/driver/session.hpp"
#include <algorithm>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
constexpr const char* examples = R"(Examples:
  weft react "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
  weft react --model ollama:llama3.2:3b --db shop.db "Who are our best customers?"
  weft agent --model anthropic:claude-sonnet-4-5 --schema answer.json "Sales of Q1 and Q2 of 2024?"
  weft reflect --html trace.html --memory memory.json "How many orders were there in 2024?"
  weft call math_calculator '{"expression": "2 ** 10"}'
  weft run hello --input '{"text": "World"}'
  weft graph react > react.mmd
  weft COMMAND --help            says more

Models:
)";
constexpr const char* other_models = R"(  replay:FILE      a recording that --record has made
  script:NAME      a bundled script (`weft scripts`), or a file whose path has a slash
  Without --model: WEFT_MODEL, else a small model of the service whose key is set, else an Ollama on this machine with
  the model it used last, else the bundled scripts, which answer their own questions only. Variables may stand in a file
  .env in the working directory; the environment comes first. https_proxy, http_proxy and no_proxy are honoured.

)";

std::string footer() {
    std::string text = examples;
    for (const auto* provider : models::protocols()) {
        auto name = std::string(provider->name) + ":NAME";
        name.resize(std::max<std::size_t>(name.size() + 1, 17), ' ');
        text += "  " + name + provider->about;
        if (provider->service) (text += "; the key is in ") += provider->keys[0];
        text += '\n';
    }
    return text + other_models + std::string(exit_codes);
}

Exit parse_and_run(int argc, char** argv) {
    CLI::App app("weft runs event-driven workflows, and the react agent among them.", "weft");
    app.set_version_flag("--version", "weft " WEFT_VERSION);
    app.require_subcommand(1);
    app.footer(footer());
    app.get_formatter()->column_width(24);
    Action action;
    for (auto* add : {add_agents, add_compare, add_call, add_run, add_lists, add_describe, add_prompt, add_parse})
        add(app, action);
    const std::string first = argc > 1 ? argv[1] : "";
    if (!first.empty() && first[0] != '-') {
        bool known = false;
        std::string names;
        for (const auto* sub : app.get_subcommands({})) {
            known = known || sub->check_name(first);  // or an alias
            (names += names.empty() ? "" : ", ") += sub->get_name();
        }
        if (!known) throw Error(Code::usage, "there is no command \"" + first + "\"; there are " + names);
    } else if (first.size() > 1 && first != "--" && !app.get_option_no_throw(first.substr(0, first.find('='))))
        throw Error(Code::usage, "there is no option " + first + " before a command; `weft --help` explains it");
    try {
        auto words = guarded_words(argc, argv);
        std::reverse(words.begin(), words.end());  // as CLI11 wants them
        app.parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
        say_trusted(app.help());
        return Exit::ok;
    } catch (const CLI::CallForVersion& version) {
        say_trusted(std::string(version.what()) + '\n');
        return Exit::ok;
    } catch (const CLI::ParseError& error) {
        const bool has_command = !first.empty() && first[0] != '-';
        throw Error(Code::usage, has_command ? in_our_words(error) + "; `weft " + first + " --help` explains it"
                                             : "say what to do; `weft --help` explains it");
    }
    return action();
}
/// Whether an agent has been told to print objects. The mistake may be one of the options, so CLI11 cannot say.
bool wants_object(int argc, char** argv) {
    const std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
    const auto end = std::find(words.begin(), words.end(), "--");
    const auto has = [&](std::string_view word) { return std::find(words.begin(), end, word) != end; };
    return !words.empty() && is_agent(words[0]) && has("--json") && !has("--events");
}
/// Before there was a question; what becomes of a question is the session's to say.
Exit report(const Error& error, bool as_object) {
    complain(sentence_for(error));
    if (as_object) say_json(failure(nullptr, error));
    return exit_of(error.code());
}
Exit tried(int argc, char** argv) {
    try {
        return parse_and_run(argc, argv);
    } catch (const Error& error) { return report(error, wants_object(argc, argv)); }
}
Exit guarded(int argc, char** argv) {
    try {
        return tried(argc, argv);
    } catch (const OutputError& error) {
        if (*error.what()) complain(error.what());
        return Exit::output;
    } catch (const std::exception& error) {
        complain(std::string("a mistake of weft itself: ") + error.what());
        return Exit::internal;
    }
}
}
}

int main(int argc, char** argv) {
    weft::driver::prepare_streams();
    return static_cast<int>(weft::driver::guarded(argc, argv));
}
