// The driver `weft`: runs workflows from the command line. Each command has its file in workflows/driver/.
#include "steps/models/protocols/protocol.hpp"
#include "workflows/driver/command_line.hpp"
#include "workflows/driver/completion.hpp"
#include "workflows/driver/session.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/static_program.hpp"
#include <algorithm>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <system_error>

namespace weft::driver {
namespace {
constexpr const char* main_examples = R"(Examples:
  weft react "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
  weft react --model ollama:llama3.2:3b --db shop.db "Who are our best customers?"
  weft agent --model anthropic:claude-sonnet-4-5 --schema answer.json "Sales of Q1 and Q2 of 2024?"
  weft reflect --html trace.html --memory memory.json "How many orders were there in 2024?"
  weft call math_calculator '{"expression": "2 ** 10"}'
  weft run hello --input '{"text": "World"}'
  weft graph react > react.mmd
  weft run refund --input '{"order": "A-17", "amount": 120}' --store weft.db
  weft resume --store weft.db
  weft runs --store weft.db
  weft run refund --input '{"order": "A-17", "amount": 120}' --store weft.db --detach
  weft worker --store weft.db
  weft schedule add nightly hello --cron "0 2 * * *" --input '{"text": "World"}' --store weft.db
  weft serve --port 8080 --store weft.db
  weft mcp --http 127.0.0.1:8081
  weft doctor
  weft init --agent helper
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
    std::string text = main_examples;
    for (const auto* provider : models::protocols()) {
        auto name = std::string(provider->name) + ":NAME";
        name.resize(std::max<std::size_t>(name.size() + 1, 17), ' ');
        text += "  " + name + provider->about;
        if (provider->service) (text += "; the key is in ") += provider->keys[0];
        text += '\n';
    }
    return text + other_models + exit_codes();
}

std::vector<DriverCommand> commands() {
    auto all = agent_commands();
    const auto add = [&all](std::vector<DriverCommand> more) { all.insert(all.end(), more.begin(), more.end()); };
    add({compare_command(), call_command(), run_command(), serve_command(), mcp_command()});
    add(list_commands());
    add({describe_command(), prompt_command(), parse_command()});
    add({doctor_command(), init_command()});
    add({worker_command(), queue_command(), model_command(), schedule_command(), resume_command()});
    add(stored_run_commands());
    add(inbox_commands());
    add({fork_command(), replay_command()});
    add(archive_commands());
    add({man_command(), completion_command()});
    return all;
}
ExitCode parse_and_run(int argc, char** argv) {
    if (argc > 1 && argv[1] == complete_word) return complete({argv + 2, argv + argc});
    const auto asked = read_command_line(weft_program(), argc, argv);
    if (asked.command) return asked.command->act(asked.choices);
    say_trusted(asked.text);
    return ExitCode::ok;
}
/// Whether the command line asks an agent for JSON objects. CLI11 cannot tell if an option is wrong.
bool wants_object(int argc, char** argv) {
    const std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
    const auto end = std::find(words.begin(), words.end(), "--");
    const auto has = [&](std::string_view word) { return std::find(words.begin(), end, word) != end; };
    return !words.empty() && is_agent(words[0]) && has("--json") && !has("--events");
}
/// Reports an error from before the first question; the session reports later ones.
ExitCode tried(int argc, char** argv) {
    try {
        return parse_and_run(argc, argv);
    } catch (const Error& error) {
        complain(sentence_for(error));
        if (wants_object(argc, argv)) say_json(failure(nullptr, error));
        return exit_of(error);
    }
}
/// No core file gets the keys in memory, and no other process of this user, such as the program of a tool, reads the
/// memory or the environment. A debugger is such a process, too. The system takes this back in a program that starts.
void close_memory() {
    if (std::getenv("WEFT_CORE_DUMPS") == nullptr) ::prctl(PR_SET_DUMPABLE, 0);
}
/// The sentence for a resource that the system refuses to the driver or one of its libraries; null for other errors.
const char* missing_resource(const std::exception& error) {
    int code = 0;
    if (const auto* standard = dynamic_cast<const std::system_error*>(&error)) code = standard->code().value();
    else if (const auto* asio = dynamic_cast<const boost::system::system_error*>(&error)) code = asio->code().value();
    if (code == EAGAIN) return "the system starts no further thread: raise the limit of ulimit -u, or of the container";
    if (code == EMFILE || code == ENFILE) return "the system has no file descriptors left: raise its limit (ulimit -n)";
    return nullptr;
}
ExitCode guarded(int argc, char** argv) {
    try {
        return tried(argc, argv);
    } catch (const OutputError& error) {
        if (*error.what()) complain(error.what());
        return ExitCode::output;
    } catch (const std::bad_alloc&) {
        complain("the system has no memory left for weft: raise the limit of ulimit -v, or of the container");
        return ExitCode::configuration;
    } catch (const std::exception& error) {
        if (const auto* sentence = missing_resource(error)) {
            complain(sentence);
            return ExitCode::configuration;
        }
        complain(std::string("a mistake of weft itself: ") + error.what());
        return ExitCode::internal;
    }
}
}
const Program& weft_program() {
    static const Program program{.name = "weft",
                                 .about = "weft runs event-driven workflows, and the react agent among them.",
                                 .version = "weft " WEFT_VERSION,
                                 .footer = footer(),
                                 .commands = commands()};
    return program;
}
}

int main(int argc, char** argv) {
    weft::driver::close_memory();
    weft::driver::prepare_streams();
    weft::driver::prepare_static_program();
    return static_cast<int>(weft::driver::guarded(argc, argv));
}
