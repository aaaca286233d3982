// Processes one question, from the model to the exit code. The trace ends before other output, so that each message
// begins a new line.
#include "workflows/driver/session.hpp"
#include "engine/ending.hpp"
#include "engine/engine.hpp"
#include "engine/json.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/models/model_error.hpp"
#include "steps/view/event_line.hpp"
#include "steps/view/html_page.hpp"
#include "steps/view/log.hpp"
#include "steps/view/page_text.hpp"
#include "steps/view/trace.hpp"
#include "steps/view/trace_printer.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/dialects.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/driver/follow.hpp"
#include "workflows/driver/resume_hints.hpp"
#include "workflows/driver/run_watcher.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/progress_indicator.hpp"
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <unistd.h>
#include <utility>

namespace weft::driver {
namespace {
std::string outcome_word(const Error& error) {
    if (const auto* left = dynamic_cast<const LeftRun*>(&error)) return left->status;
    const auto* ending = ending_of(error.code());
    return std::string(name(ending ? ending->status : RunStatus::failed));
}
bool shows_life(const DisplayOptions& show) { return !show.quiet && !show.events && ProgressIndicator::can_be_seen(); }
std::string money(double cost) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", cost);
    return text;
}
std::string spent(const agents::AnswerEvent& answer) {
    return "requests: " + std::to_string(answer.requests) + ", calls of tools: " + std::to_string(answer.tool_calls) +
           (answer.cost ? ", cost: " + money(*answer.cost) : std::string());
}
/// If the server counts no tokens, their number is unknown, not 0.
std::string tokens(const agents::AnswerEvent& answer) {
    auto counted = view::in_words(answer.usage);
    if (!counted.empty()) return counted;
    return answer.requests ? "tokens: not counted by the server" : "tokens: none";
}
std::string limit_sentence(const std::string& limit, const std::string& what) {
    if (limit == "repeated_calls")
        return "the agent has repeated a call too often, with the same result, and " + what +
               "; another model or a clearer question may do better";
    if (limit == "steps" || limit.empty())
        return "the agent has reached its limit, and " + what + "; --max-steps gives it more turns";
    return "the agent has reached the limit of its budget (" + limit + "), and " + what + "; --budget gives it more";
}
}

nlohmann::json failure(const nlohmann::json& question, const Error& error) {
    nlohmann::json object = {{"question", question},
                             {"outcome", outcome_word(error)},
                             {"code", name(error.code())},
                             {"error", sentence_with_step(error)}};
    const auto add_details = [&object](const models::ModelError& cause) {
        const auto& details = cause.details();
        object["model_error"] = {{"kind", to_json(details.kind)},
                                 {"provider_code", repair_utf8(details.provider_code)},
                                 {"request_id", repair_utf8(details.request_id)},
                                 {"attempts", details.attempts}};
    };
    const auto* run = dynamic_cast<const RunError*>(&error);
    if (const auto* direct = dynamic_cast<const models::ModelError*>(&error)) add_details(*direct);
    else if (run && run->cause()) {
        try {
            std::rethrow_exception(run->cause());
        } catch (const models::ModelError& cause) { add_details(cause); } catch (...) {
        }
    }
    return object;
}

/// The log file of --log-file. Every line is ASCII, and no event contains a key.
struct Session::SessionLog {
    std::shared_ptr<spdlog::logger> file;
    std::optional<view::LoggedModel> model;                 // model of this question
    bool broken = false, complained = false, full = false;  // file not writable, reported, disk full
    explicit SessionLog(const DisplayOptions& show) try
        : file(std::make_shared<spdlog::logger>(
              "weft", std::make_shared<spdlog::sinks::basic_file_sink_mt>(checked(show.log_file)))) {
        file->set_error_handler([this](const std::string& why) {
            broken = true;
            full = full || why.find(std::strerror(ENOSPC)) != why.npos;
        });  // else spdlog prints the error itself
        file->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
        file->set_level(show.verbose ? spdlog::level::debug : spdlog::level::info);
        file->flush_on(spdlog::level::info);
    } catch (const spdlog::spdlog_ex&) {
        throw Error(Code::configuration, "--log-file: " + show.log_file + " cannot be written to");
    }
    void said(const std::string& what, const std::string& text) {
        file->log(spdlog::level::info, spdlog::string_view_t(what + ' ' + ascii(text)));
    }

private:
    /// Refuses pipes, which block until they are read, devices and folders.
    static const std::string& checked(const std::string& path) {
        std::error_code error;
        const auto kind = std::filesystem::status(path, error).type();
        using enum std::filesystem::file_type;
        if (kind == fifo || kind == socket || kind == block || kind == directory)
            throw Error(Code::configuration, "--log-file: " + path + " is not a plain file: give another name");
        const auto folder = std::filesystem::path(path).parent_path();  // spdlog would make it
        if (!folder.empty() && !std::filesystem::is_directory(folder, error))
            throw Error(Code::configuration, "--log-file: " + path + " has no folder: make the folder first");
        // For its owner only: it has texts of the model and the tools, and spdlog would let all users read it.
        const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
        if (made >= 0) ::close(made);  // else spdlog reports that the file is not writable
        return path;
    }
};

class Session::SessionListener {
public:
    SessionListener(const DisplayOptions& show, SessionLog* log, const std::string& question, bool heads)
        : show_(show),
          log_(log),
          facts_(question),
          begun_(time_of_day()),
          trace_(
              [this](std::string_view text) {
                  if (text.empty()) return;
                  life_.hide();
                  tell(text);
                  open_ = text.back() != '\n';
              },
              {.colour = wants_colour(),
               .answer = show.traces_answer,
               .steps = heads,
               .longest_observation = show.verbose ? std::size_t(1) << 20 : view::TraceOptions().longest_observation}) {
    }
    void begin(const std::string& run) {
        if (log_) steps_.emplace(*log_->file, run);
        if (!show_.quiet && !show_.events) life_.wait();
    }
    void on(const AnyEvent& event) {
        if (const auto* progress = event.get_if<RunProgressEvent>()) return life_.tell(*progress);
        life_.hide();
        const auto added = facts_.on(event);
        if (steps_) steps_->on(added);
        if (show_.events) say_trusted(view::event_line(event) + '\n');
        else if (const auto* warning = event.get_if<agents::WarningEvent>(); warning && show_.quiet)
            note(warning->text);
        else if (!show_.quiet && !ending_of(event) && event.question() == QuestionId::none)
            trace_.on(event);                                       // ends and questions have their own messages
        if (!open_ && !show_.quiet && !show_.events) life_.wait();  // else a line of the trace has begun
    }
    ~SessionListener() { end(); }
    void end() {
        life_.hide();
        if (std::exchange(open_, false)) tell("\n");
    }
    const view::TraceEntries& entries() const { return facts_.entries(); }
    const std::string& begun() const { return begun_; }

private:
    static std::string time_of_day() {
        const auto now = std::time(nullptr);
        std::tm local{};
        char text[32] = "";
        if (localtime_r(&now, &local)) (void)std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
        return text;
    }
    const DisplayOptions& show_;
    SessionLog* log_;
    std::optional<view::StepLog> steps_;
    view::Trace facts_;
    const std::string begun_;
    view::TracePrinter trace_;
    bool open_ = false;  // a line of the trace has begun
    ProgressIndicator life_;
};

Session::Session(catalog::RunResources& here, Interrupts& interrupts, RunWatcher& watcher, DisplayOptions show)
    : here_(here),
      interrupts_(interrupts),
      watcher_(watcher),
      show_(std::move(show)),
      log_(show_.log_file.empty() ? nullptr : new SessionLog(show_)) {
    if (!show_.html_file.empty()) try {
            view::try_page(show_.html_file);
        } catch (const Error& error) { throw Error(error.code(), std::string("--html: ") + error.what()); }
    here_.watch_models([this](models::ChatModel& model) -> models::ChatModel& { return log_calls_of(model); });
}
Session::~Session() { here_.watch_models({}); }

ExitCode Session::ask(const std::string& question) {
    const auto timeout = here_.options().timeout;
    const auto begin = [&] {
        const RunOptions options{.timeout = timeout,
                                 .values = catalog::values_of(here_.options()),
                                 .observer = watcher_.next_run(),
                                 .tell_idle = here_.process().keeps_runs(),
                                 .tell_progress = shows_life(show_)};
        return catalog::find_workflow(show_.workflow).run(here_, {{"text", question}}, options);
    };
    return take(question, begin, {},
                timeout ? InputLines::Deadline(InputLines::SteadyClock::now() + *timeout) : std::nullopt);
}
ExitCode Session::resume(const std::string& question, const std::string& id, Inbox inbox,
                         const InputLines::Deadline& deadline) {
    const auto begin = [&] {
        const RunOptions options{
            .observer = watcher_.next_run(), .tell_idle = true, .tell_progress = shows_life(show_)};
        return catalog::find_workflow(show_.workflow).resume(here_, id, {{"text", question}}, options);
    };
    return take(question, begin, std::move(inbox), deadline);
}
ExitCode Session::repeat(const std::string& question, const std::string& id,
                         const std::function<agents::AnswerEvent()>& result) {
    run_ = id;
    try {
        return answered(question, result());
    } catch (const Error& error) { return failed(question, error); }
}
ExitCode Session::take(const std::string& question, const BeginRun& begin, Inbox inbox,
                       const InputLines::Deadline& deadline) {
    run_.clear();
    inbox_ = std::move(inbox);
    deadline_ = deadline;
    auto exit = ExitCode::ok;
    try {
        exit = run(question, begin);
    } catch (const Error& error) { exit = failed(question, error); }
    if (!log_ || !log_->broken) return exit;
    if (!std::exchange(log_->complained, true))
        complain("--log-file: " + show_.log_file + " cannot be written to, so the log is not complete");
    if (exit != ExitCode::ok) return exit;
    return log_->full ? ExitCode::full : ExitCode::configuration;
}
ExitCode Session::refuse(const Error& error) { return failed("", error); }
models::ChatModel& Session::log_calls_of(models::ChatModel& model) {
    model_ = model.name();
    if (show_.verbose) note("the model is " + model_);
    if (!log_) return model;
    log_->said("model", model_);
    return log_->model.emplace(model, *log_->file);
}
std::string_view Session::dialect() const {
    return catalog::find_workflow(show_.workflow).has_dialect ? here_.options().dialect : std::string_view();
}
agents::AnswerEvent Session::answer(const BeginRun& begin, SessionListener& listener) {
    auto run = begin();
    run_ = run.id();
    listener.begin(run_);
    const auto result = follow(std::move(run), {here_.process(), interrupts_, watcher_},
                               {.show = [&](const AnyEvent& event) { listener.on(event); },
                                .before_question = [&] { listener.end(); },
                                .lines = lines_,
                                .deadline = deadline_,
                                .inbox = std::move(inbox_)});
    return from_json<agents::AnswerEvent>(result, "answer");
}
ExitCode Session::run(const std::string& question, const BeginRun& begin) {
    if (log_) log_->said("question", question);
    const bool heads = !dialect().empty() && catalog::habits_of(dialect()).numbers_steps;
    SessionListener listener(show_, log_.get(), question, heads);
    std::optional<agents::AnswerEvent> answer;
    auto exit = ExitCode::ok;
    std::string outcome;
    try {
        answer = this->answer(begin, listener);
        outcome = to_json(answer->outcome).get<std::string>();
    } catch (const Error& error) {
        listener.end();
        exit = failed(question, error);
        outcome = outcome_word(error);
    }
    listener.end();
    if (answer) exit = answered(question, *answer);
    return save_page(exit, listener, outcome, answer ? spent(*answer) : std::string());
}
ExitCode Session::save_page(ExitCode exit, const SessionListener& listener, std::string_view outcome,
                            std::string spent) const {
    if (show_.html_file.empty()) return exit;
    const auto& question = listener.entries().front().text;
    try {
        view::save_page(show_.html_file, view::html_page(listener.entries(), {.question = question,
                                                                              .outcome = std::string(outcome),
                                                                              .workflow = std::string(show_.workflow),
                                                                              .dialect = std::string(dialect()),
                                                                              .model = model_,
                                                                              .begun = listener.begun(),
                                                                              .spent = std::move(spent)}));
    } catch (const Error& error) {
        complain(std::string("--html: ") + error.what());
        return exit == ExitCode::ok ? exit_of(error) : exit;
    }
    if (!show_.quiet) note("the trace is in " + show_.html_file);
    return exit;
}
ExitCode Session::answered(const std::string& question, const agents::AnswerEvent& answer) const {
    if (show_.json) {
        auto object = to_json(answer);
        object["question"] = question;
        say_json(object);
    } else if (!show_.events) {
        if (show_.one_line) say_in_one_line(answer.response);
        else say(answer.response);
    }
    if (show_.verbose) note("steps: " + std::to_string(answer.steps) + ", " + tokens(answer) + ", " + spent(answer));
    if (answer.outcome != agents::AnswerOutcome::limit) return ExitCode::ok;
    const bool real = answer.reasoning.empty() || answer.reasoning.back().ok;
    complain(limit_sentence(answer.limit, real ? "this is the best answer it has" : "it has found no answer"));
    return ExitCode::limit;
}
ExitCode Session::failed(const std::string& question, const Error& error) {
    const auto* left = dynamic_cast<const LeftRun*>(&error);
    if (log_) log_->said("error " + std::string(name(error.code())), sentence_with_step(error));
    complain(show_.verbose ? sentence_with_step(error) : sentence_for(error));
    tell(left ? left->commands : commands_after(error, here_.options(), run_));
    if (show_.json) {
        auto object = failure(question, error);
        if (left) object["run"] = left->run;
        say_json(object);
    } else if (show_.one_line && !show_.events) say("");
    return left ? left->exit : exit_of(error);
}
}
