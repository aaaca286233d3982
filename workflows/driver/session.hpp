// One conversation with an agent of the catalogue: asks, shows what happens, and prints the result.
//
//     Session session(here, interrupts, elsewhere, {.json = true});
//     Exit exit = session.ask("How many orders were there in 2024?");
//
// The trace goes to standard error. To standard output goes the answer, or the result as a JSON object, or every event
// as a line of JSON, the last of which names the cause of the end. A question that fails has an object too, or an empty
// line where every answer is a line; the sentence about it goes to standard error.
#pragma once
#include "workflows/driver/answers.hpp"
#include "workflows/driver/terminal/exit_code.hpp"
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
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
class Elsewhere;
class Interrupts;

struct Show {
    bool json = false;
    bool events = false;
    bool quiet = false;
    bool verbose = false;
    bool one_line = false;                // every answer is one line
    std::string_view workflow = "react";  // the agent, as the catalogue calls it
    bool traces_answer = false;           // because the answer was not shown while it was written
    std::string log_file, html_file;
};

/// What --json has in place of an answer.
nlohmann::json failure(const nlohmann::json& question, const Error&);

class Session {
public:
    /// Throws Error{configuration} for a log file that cannot be written to.
    Session(catalog::RunResources&, Interrupts&, Elsewhere&, Show);
    ~Session();
    Exit ask(const std::string& question);
    /// Goes on with the run of the process's store that has this id and was asked this.
    Exit resume(const std::string& question, const std::string& id, Inbox, const Lines::Deadline&);
    /// Where answers to what the agent asks are read; without it, a reader of its own.
    void read_from(Lines& lines) { lines_ = &lines; }
    /// Prints the result of the run with this id, which has ended, once more, or how it ended.
    Exit repeat(const std::string& question, const std::string& id, const std::function<agents::AnswerEvent()>& result);
    /// Of a question that could not even be read.
    Exit refuse(const Error&);

private:
    class Listener;
    struct Log;
    using Begin = std::function<JsonRun()>;
    Exit take(const std::string& question, const Begin&, Inbox, const Lines::Deadline&);
    Exit run(const std::string& question, const Begin&);
    agents::AnswerEvent answer(const Begin&, Listener&);
    models::ChatModel& log_calls_of(models::ChatModel&);  // the model, with its calls logged
    std::string_view dialect() const;                     // empty for an agent without one
    Exit save_page(Exit, const Listener&, std::string_view outcome, std::string spent) const;
    Exit answered(const std::string& question, const agents::AnswerEvent&) const;
    Exit failed(const std::string& question, const Error&);
    catalog::RunResources& here_;
    Interrupts& interrupts_;
    Elsewhere& elsewhere_;
    Lines* lines_ = nullptr;
    // Of the run that goes on, or was the last.
    std::string run_;
    Inbox inbox_;
    Lines::Deadline deadline_;
    const Show show_;
    std::unique_ptr<Log> log_;
    std::string model_;
};
}
