// One run of a server: the state that its clients see, kept by an observer during the run and after it.
//
//     auto run = ServedRun::make(identity, limits, now);
//     run->begin(workflow, request, options, ended);   // throws what the workflow's start throws
//     co_await run->until_ended();
//     run->handler_text();                             // as GET /handlers/{id} answers it
//
// The object owns itself until the run has ended. The function Ended is called on the run's loop, and has to be quick.
// All other functions are for any thread.
#pragma once
#include "engine/observer.hpp"
#include "workflows/server/runs/event_log.hpp"
#include "workflows/server/runs/served_workflow.hpp"

namespace weft::server {
class ServedRun final : public Observer, public std::enable_shared_from_this<ServedRun> {
public:
    using Ended = std::function<void(ServedRun&)>;
    struct Identity {
        std::string handler, id, workflow;
    };
    static std::shared_ptr<ServedRun> make(Identity, LogLimits, WallTime now);
    /// A run of a store that has ended.
    static std::shared_ptr<ServedRun> restored(Identity, LogLimits, const storage::RunRow&);

    void begin(const ServedWorkflow&, const RunRequest&, RunOptions, Ended);
    /// Goes on with a stored run. `told`: the ids of questions that are in the log already.
    void resume(const ServedWorkflow&, const RunRequest&, RunOptions, Ended, std::set<std::string> told);

    const Identity identity;
    RunStatus status() const;
    WallTime started_at() const;
    /// Without the result, if that is to be left out.
    std::string handler_text(bool with_result = true) const;
    bool has_ended() const;     // and no code of it is executed any more
    std::size_t bytes() const;  // in memory, about
    /// The stop event, or the sentence and the code of what there is in its place.
    struct ServedOutcome {
        std::string type;  // of the stop event
        std::string error;
        Code code = Code::step_failed;
    };
    ServedOutcome outcome() const;
    const std::shared_ptr<EventLog>& log() const { return log_; }
    std::string last_envelope() const;  // of a run that has ended
    /// Or until the signal is rung.
    awaitable<void> until_ended(Signal = {});
    /// Of a stored run that was taken up again: waits until it has ended, or until it turns out that it cannot go on
    /// here, which it says by a sentence.
    awaitable<std::optional<std::string>> until_refused();

    /// It cannot go on here: it stays in its store.
    void refuse(Code, const std::string& why);
    void cancel();
    struct OpenQuestion {
        std::string id, type;
        std::string run;                      // that has asked it, this one or a child
        QuestionId there = QuestionId::none;  // its id in that run
    };
    std::vector<OpenQuestion> open_questions() const;
    /// It has been taken up from a store, and not yet come to where it was: open_questions() is not complete.
    bool is_resuming() const;
    /// Throws Error{usage} or Error{bad_json} for an event that the workflow does not take, or does not now.
    void answer(const std::string& type, const nlohmann::json& value, const std::string& question);
    /// Until all that has come to it is in its store, as JsonRun::until_stored.
    awaitable<void> until_stored() const;
    /// From here on nothing that happens is told. A stored run leaves memory, to go on when its store is served again;
    /// any other one is cancelled. until_left() returns when no code of it is executed any more.
    void begin_to_leave();
    awaitable<void> until_left();

private:
    ServedRun(Identity, LogLimits, WallTime now);
    void run_idle(const Run&, std::string_view) noexcept override;
    void run_ended(const Run&, RunStatus) noexcept override;
    void run_parked(const Run& run) noexcept override { run_ended(run, RunStatus::failed); }
    void step_started(const Step&) noexcept override;
    void step_ended(const Step&, bool) noexcept override;
    void event_streamed(const Run&, const AnyEvent&) noexcept override;
    void question_asked(const Run&, std::string_view, QuestionId) noexcept override;
    void question_answered(const Run&, std::string_view, QuestionId) noexcept override;
    void resumed();
    void tell(const AnyEvent&);
    void finish(const AnyEvent&);
    void hold(StartedRun);
    std::optional<JsonRun> current() const;
    // How it has ended; with the lock.
    void complete_with(std::string_view type, const std::string& value);
    void fail_with(const RunFailedEvent&);
    void time_out_with(const RunTimedOutEvent&);
    void end_cancelled();

    const std::shared_ptr<EventLog> log_;
    mutable std::mutex mutex_;
    RunStatus status_ = RunStatus::running;
    WallTime started_{}, updated_{};
    std::optional<WallTime> completed_;
    std::string envelope_;  // of the stop event
    ServedOutcome outcome_;
    std::vector<OpenQuestion> questions_;
    OpenQuestion asked_;  // which its event, with its id, follows
    std::set<std::string> told_;
    std::optional<JsonRun> run_;
    std::shared_ptr<void> needs_;
    std::shared_ptr<ServedRun> keep_;
    std::vector<Signal> waiting_;
    Ended ended_;
    bool done_ = false, let_go_ = false, resuming_ = false, ending_ = false;
};
}
