// Follows a run of any workflow to its end: shows its events and asks its questions.
//
//     options.observer = watcher.next_run();
//     auto run = entry.run(here, input, options);
//     const auto result = follow(std::move(run), {process, interrupts, watcher}, {.show = on_event});
//
// The process leaves a stored run in its store if the input has no answer, if an answer is invalid, and after Ctrl-C or
// SIGTERM. Such runs need RunOptions::tell_idle.
#pragma once
#include "workflows/driver/answers.hpp"
#include "workflows/driver/terminal/exit_code.hpp"
#include <functional>
#include <nlohmann/json_fwd.hpp>

namespace weft {
class JsonRun;
}
namespace weft::catalog {
class ProcessResources;
}
namespace weft::driver {
class RunWatcher;

/// This process has left the run in its store. The error names the reason.
struct LeftRun : Error {
    LeftRun(Code code, const std::string& sentence, ExitCode exit_code, std::string run_status, std::string id,
            std::string lines)
        : Error(code, sentence),
          exit(exit_code),
          status(std::move(run_status)),
          run(std::move(id)),
          commands(std::move(lines)) {}
    ExitCode exit;
    std::string status;    // waiting or interrupted
    std::string run;       // its id
    std::string commands;  // lines for a shell: answer the open questions, and resume the run
};
struct FollowContext {
    const catalog::ProcessResources& process;
    Interrupts& interrupts;
    RunWatcher& watcher;  // the run's observer
};
struct FollowOptions {
    std::function<void(const AnyEvent&)> show;  // the events of the stream, questions too
    std::function<void()> before_question = [] {};
    InputLines* lines = nullptr;    // the reader of answers; null: a new one
    InputLines::Deadline deadline;  // the run's; ends the wait for an answer
    Inbox inbox;                    // a resumed run's
};
/// Returns the stop event. Throws the errors of JsonRun::result(), LeftRun and, without a store, the error of an answer
/// that does not fit its question.
nlohmann::json follow(JsonRun, const FollowContext&, FollowOptions);

struct PrintOptions {
    bool events = false, quiet = false;
    InputLines::Deadline deadline;
    Inbox inbox;
};
/// Follows a run of a workflow that is not an agent, and prints its result to standard output.
ExitCode follow_and_print(JsonRun, const FollowContext&, PrintOptions);
}
