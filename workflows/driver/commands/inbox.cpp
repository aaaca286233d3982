// `weft answer`, `weft signal` and `weft cancel`: send mail to a stored run. Standard error gets a message about it,
// standard output the next command for the user, if there is one.
#include "workflows/catalog/stored/inbox.hpp"
#include "engine/error.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/remote.hpp"
#include "workflows/driver/resume_hints.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/values.hpp"

namespace weft::driver {
namespace {
ExitCode answer_stored(const Choices& choices) {
    if (!choices.remote.server.empty()) return answer_remotely(choices);
    const auto& chosen = choices.stored;
    const auto data = read_json(chosen.json, "--json");
    const auto opened = visit_store(choices);
    const auto sent = catalog::send_answer(
        *opened.store,
        {.run = chosen.run, .event = chosen.event, .data = data, .question = chosen.question, .id = chosen.id});
    if (!sent.is_new) {
        note("the answer " + sent.id + " was already sent to run " + sent.run + ": nothing has changed");
        return ExitCode::ok;
    }
    const auto to = sent.question.empty() ? std::string() : " to question " + sent.question + " (" + sent.asked + ")";
    note("the answer" + to + " is in the inbox of run " + sent.run + ", with the id " + sent.id +
         (chosen.id.empty() ? "" : "; sent again, it counts once"));
    if (!sent.checked)
        note("this weft does not have the workflow of the run, so the data of the answer was not checked");
    if (!opened.has_engine(sent.run)) say(resume_command_of(*opened.store, sent.run, store_name(choices)));
    return ExitCode::ok;
}
ExitCode signal_stored(const Choices& choices) {
    if (!choices.remote.server.empty()) return signal_remotely(choices);
    const auto& chosen = choices.stored;
    const auto data = read_input(choices.input);
    const auto opened = visit_store(choices);
    const auto sent = catalog::send_signal(*opened.store,
                                           {.run = chosen.run, .event = chosen.event, .data = data, .id = chosen.id});
    if (!sent.is_new) {
        note("the signal " + sent.id + " was already sent to run " + sent.run + ": nothing has changed");
        return ExitCode::ok;
    }
    note("the signal is in the inbox of run " + sent.run + ", with the id " + sent.id +
         (chosen.id.empty() ? "" : "; sent again, it counts once"));
    if (!sent.checked)
        note("this weft does not have the workflow of the run, so the data of the signal was not checked");
    if (!opened.has_engine(sent.run)) say(resume_command_of(*opened.store, sent.run, store_name(choices)));
    return ExitCode::ok;
}
ExitCode cancel_stored(const Choices& choices) {
    if (!choices.remote.server.empty()) return cancel_remotely(choices);
    const auto opened = visit_store(choices);
    const auto sent = catalog::send_cancel(*opened.store, choices.stored.run);
    const bool has_engine = opened.has_engine(sent.run);
    note("run " + sent.run + (sent.is_new ? " will be cancelled" : " was already to be cancelled") +
         (has_engine ? "" : "; no process executes it: it ends when it is resumed"));
    if (!has_engine) say(resume_command_of(*opened.store, sent.run, store_name(choices)));
    return ExitCode::ok;
}
constexpr auto signal_examples =
    R"(A workflow takes a signal at any time: while it works, sleeps, asks or waits for its first time. A process that
executes the run gets it within a second; without one, the command that continues the run is printed.

  weft signal 4f2a PauseEvent --input '{"by": "Ann"}' --store weft.db
  weft signal KwsB9y8g68 PauseEvent --server http://127.0.0.1:8080
)";
constexpr auto answer_examples =
    R"(The answer goes to the question of --question, else to the oldest that the event answers; `weft show RUN` lists
the open ones, and `weft schema WORKFLOW` shows their answers. A process that executes the run gets the answer within
a second. Without one, the command that continues the run is printed.

  weft answer 4f2a --event ApprovalEvent --json '{"granted": true}' --store weft.db
  weft answer KwsB9y8g68 --event ApprovalEvent --json '{"granted": true}' --server http://127.0.0.1:8080
)";
}

std::vector<DriverCommand> inbox_commands() {
    using enum OptionGroup;
    return {
        {"answer",
         "answer a question of a stored run, or of a run of a server",
         {run_id, answering, store, remote},
         answer_stored,
         answer_examples},
        {"signal",
         "send a signal to a stored run, or to a run of a server",
         {run_id, signalling, store, remote},
         signal_stored,
         signal_examples},
        {"cancel", "cancel a stored run, or a run of a server", {run_id, store, remote}, cancel_stored},
    };
}
}
