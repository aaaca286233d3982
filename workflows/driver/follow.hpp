// Follows a run of any workflow to its end: shows what happens, and asks its questions.
//
//     options.observer = elsewhere.next_run();
//     auto run = entry.run(here, input, options);
//     const auto result = follow(std::move(run), {process, interrupts, elsewhere}, {.show = on_event});
//
// A run that is in a store is left there if it waits for an answer that nobody gives, if an answer is none, and after
// Ctrl-C or SIGTERM; such runs need RunOptions::tell_idle.
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
class Elsewhere;

/// A run that this process has left in its store. The error says why.
struct LeftRun : Error {
    LeftRun(Code code, const std::string& sentence, Exit exit, std::string status, std::string run,
            std::string commands)
        : Error(code, sentence),
          exit(exit),
          status(std::move(status)),
          run(std::move(run)),
          commands(std::move(commands)) {}
    Exit exit;
    std::string status;    // waiting or interrupted
    std::string run;       // its id
    std::string commands;  // for a shell, in lines: they answer what is open, and go on with the run
};
struct FollowedBy {
    const catalog::ProcessResources& process;
    Interrupts& interrupts;
    Elsewhere& elsewhere;  // the run's observer
};
struct Following {
    std::function<void(const AnyEvent&)> show;  // the events of the stream, questions too
    std::function<void()> before_question = [] {};
    Lines* lines = nullptr;    // where answers are read; null: a reader of its own
    Lines::Deadline deadline;  // of the run, for whoever is asked
    Inbox inbox;               // of a run that is resumed
};
/// The stop event. Throws as JsonRun::result() does, LeftRun, and without a store for a mistake in an answer.
nlohmann::json follow(JsonRun, const FollowedBy&, Following);

struct Printing {
    bool events = false, quiet = false;
    Lines::Deadline deadline;
    Inbox inbox;
};
/// The same, of a workflow that is no agent: its result goes to standard output.
Exit follow_and_print(JsonRun, const FollowedBy&, Printing);
}
