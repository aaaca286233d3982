// One run of a server: the state that its clients see, during the run and after it.
//
//     auto run = ServedRun::make(identity, limits, now);
//     run->begin(workflow, request, options, ended);   // throws the errors of the workflow's start
//     co_await run->until_ended();
//     run->handler_text();                             // the body of GET /handlers/{id}
//
// The object owns itself until the run has ended. The run's loop calls the function Ended, which must return quickly.
// Any thread may call all other functions.
#pragma once
#include "engine/observer.hpp"
#include "workflows/server/runs/event_log.hpp"
#include "workflows/server/runs/served_workflow.hpp"

namespace weft::server {
class ServedRun final : public Observer, public std::enable_shared_from_this<ServedRun> {
public:
    using OnEnd = std::function<void(ServedRun&)>;  // called at the run's end, on its loop; must return quickly
    /// The names of a run.
    struct Identity {
        std::string handler,  // the id that clients use; they may choose it
            id,               // the run's own
            workflow;         // name of the workflow
    };
    static std::shared_ptr<ServedRun> make(Identity, LogLimits, WallTime now);
    /// An ended run of a store.
    static std::shared_ptr<ServedRun> restored(Identity, LogLimits, const storage::RunRow&);

    void begin(const ServedWorkflow&, const RunRequest&, RunOptions, OnEnd);
    /// Continues a stored run. `told` has the ids of the questions that the log has already.
    void resume(const ServedWorkflow&, const RunRequest&, RunOptions, OnEnd, std::set<std::string> told);

    const Identity identity;
    RunStatus status() const;     // `running` until the end
    WallTime started_at() const;  // time of the first start, also for a restored run
    void will_begin(WallTime);    // the run waits for this time: handler_text() shows it
    /// The run as JSON, with or without its result.
    std::string handler_text(bool with_result = true) const;
    bool has_ended() const;     // true after its last code has executed
    std::size_t bytes() const;  // estimated bytes in memory
    /// The stop event; without it a sentence and a code.
    struct ServedOutcome {
        std::string type;               // type of the stop event
        std::string error;              // sentence of a failure; empty: a stop event, or no end yet
        Code code = Code::step_failed;  // the error's
    };
    ServedOutcome outcome() const;  // empty texts before the end
    /// The events of this run and of its child runs; never null. Readers may keep it after this object.
    const std::shared_ptr<EventLog>& log() const { return log_; }
    std::string last_envelope() const;  // an ended run's
    /// Waits for the end of the run, or for the signal.
    awaitable<void> until_ended(Signal = {});
    /// Waits until a resumed run has ended (std::nullopt) or cannot continue here (the reason).
    awaitable<std::optional<std::string>> until_refused();

    /// Ends the run here because it cannot continue; it stays in its store.
    void refuse(Code, const std::string& why);
    /// Cancels the run, which takes no more answers. Does nothing after its end.
    void cancel();
    /// An open question of the run or of a child run.
    struct ServedQuestion {
        std::string id,                       // for answer()
            type;                             // type of its event
        std::string run;                      // the asking run: this one or a child
        QuestionId there = QuestionId::none;  // its id in that run
    };
    std::vector<ServedQuestion> open_questions() const;  // the oldest first
    /// Whether the run is still folding its records after resume(): open_questions() is incomplete.
    bool is_resuming() const;
    /// Throws Error{usage} or Error{bad_json} for an event that the workflow does not take, or not now, and
    /// Error{cancelled} after the run's end or for a question that is not open.
    void answer(const std::string& type, const nlohmann::json& value, const std::string& question);
    /// Waits until the store has all input of the run, as JsonRun::until_stored.
    awaitable<void> until_stored() const;
    /// Stops observing the run. A stored run leaves memory, and continues with the next server of its store; any other
    /// run is cancelled. until_left() returns after the last code of the run has executed.
    void begin_to_leave();
    awaitable<void> until_left();  // releases the run and its resources at the end

private:
    ServedRun(Identity, LogLimits, WallTime now);
    void run_idle(const RunInfo&, std::string_view) noexcept override;
    void run_ended(const RunInfo&, RunStatus) noexcept override;
    void run_parked(const RunInfo& run) noexcept override { run_ended(run, RunStatus::failed); }
    void step_started(const StepInfo&) noexcept override;
    void step_ended(const StepInfo&, bool) noexcept override;
    void step_sleeps(const StepInfo&, WallTime until) noexcept override;
    void event_streamed(const RunInfo&, const AnyEvent&) noexcept override;
    void question_asked(const RunInfo&, std::string_view, QuestionId) noexcept override;
    void question_answered(const RunInfo&, std::string_view, QuestionId) noexcept override;
    void resumed();
    void follow_owner(const RunInfo&);
    void tell(const AnyEvent&);
    void finish(const AnyEvent&);
    void hold(StartedRun);
    std::optional<JsonRun> current() const;
    std::optional<WallTime> sleeps_until(WallTime now) const;  // the caller holds the lock
    // Record the end of the run; the caller holds the lock.
    void complete_with(std::string_view type, const std::string& value);
    void end_with(const AnyEvent&);

    const std::shared_ptr<EventLog> log_;
    mutable std::mutex mutex_;
    RunStatus status_ = RunStatus::running;
    WallTime started_{}, updated_{};
    std::optional<WallTime> completed_, not_before_;
    std::string envelope_;  // the last event's
    ServedOutcome outcome_;
    std::vector<ServedQuestion> questions_;
    ServedQuestion asked_;  // announced by question_asked(), before its event
    std::set<std::string> told_;
    std::optional<JsonRun> run_;
    std::shared_ptr<void> needs_;
    std::shared_ptr<ServedRun> keep_;
    using SleepingStep = std::pair<std::string, std::uint64_t>;  // the id of its run, and its number
    std::map<SleepingStep, WallTime> sleeps_;
    std::vector<Signal> waiting_;
    OnEnd ended_;
    bool done_ = false, let_go_ = false, resuming_ = false, ending_ = false;
};
}
