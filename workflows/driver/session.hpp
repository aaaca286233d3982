// One conversation with an agent of the catalogue: asks questions, shows events and prints results.
//
//     Session session(here, interrupts, watcher, {.json = true});
//     ExitCode exit = session.ask("How many orders were there in 2024?");
//
// The trace goes to standard error. Standard output gets the answer, or the result as a JSON object, or each event as a
// line of JSON, the last of which names the cause of the end. A failed question also has an object, or an empty line if
// each answer is a line; its message goes to standard error.
#pragma once
#include "workflows/driver/answers.hpp"
#include "workflows/driver/terminal/exit_code.hpp"
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft {
class JsonRun;
namespace models {
class ChatModel;
}
namespace agents {
struct AnswerEvent;
}
}
namespace weft::catalog {
class RunResources;
}
namespace weft::driver {
class RunWatcher;
class Interrupts;

struct DisplayOptions {
    bool json = false;
    bool events = false;
    bool quiet = false;
    bool verbose = false;
    bool one_line = false;                // every answer is one line
    std::string_view workflow = "react";  // the agent, as the catalogue calls it
    bool traces_answer = false;           // true if the answer was not streamed
    std::string log_file, html_file;
};

/// The object that --json prints in place of an answer.
nlohmann::json failure(const nlohmann::json& question, const Error&);

class Session {
public:
    /// Throws Error{configuration} for a log file that cannot be written to.
    Session(catalog::RunResources&, Interrupts&, RunWatcher&, DisplayOptions);
    ~Session();
    ExitCode ask(const std::string& question);
    /// Resumes the run with this id and question from the process's store.
    ExitCode resume(const std::string& question, const std::string& id, Inbox, const InputLines::Deadline&);
    /// Sets the reader for answers to the agent's questions; the default is a new reader.
    void read_from(InputLines& lines) { lines_ = &lines; }
    /// Prints the result of an ended run again, or its error.
    ExitCode repeat(const std::string& question, const std::string& id,
                    const std::function<agents::AnswerEvent()>& result);
    /// Reports the error of a question that could not be read.
    ExitCode refuse(const Error&);

private:
    class SessionListener;
    struct SessionLog;
    using BeginRun = std::function<JsonRun()>;
    ExitCode take(const std::string& question, const BeginRun&, Inbox, const InputLines::Deadline&);
    ExitCode run(const std::string& question, const BeginRun&);
    agents::AnswerEvent answer(const BeginRun&, SessionListener&);
    models::ChatModel& log_calls_of(models::ChatModel&);  // the model, with its calls logged
    std::string_view dialect() const;                     // empty for an agent without one
    ExitCode save_page(ExitCode, const SessionListener&, std::string_view outcome, std::string spent) const;
    ExitCode answered(const std::string& question, const agents::AnswerEvent&) const;
    ExitCode failed(const std::string& question, const Error&);
    catalog::RunResources& here_;
    Interrupts& interrupts_;
    RunWatcher& watcher_;
    InputLines* lines_ = nullptr;
    // The current run's, else the last one's.
    std::string run_;
    Inbox inbox_;
    InputLines::Deadline deadline_;
    const DisplayOptions show_;
    std::unique_ptr<SessionLog> log_;
    std::string model_;
};
}
