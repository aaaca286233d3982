// The last event of a run changes the state before it joins the log, so that a client that has read the event finds the
// run ended. The log also has the events of child runs, with their origin, except for terminal events.
#include "engine/any_event.hpp"
#include "engine/ending.hpp"
#include "engine/json.hpp"
#include "engine/json/line.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/server/runs/envelope.hpp"
#include "workflows/server/runs/served_run.hpp"

namespace weft::server {
namespace {
using nlohmann::json;

std::string id_text(QuestionId id) { return std::to_string(static_cast<std::uint64_t>(id)); }
std::string internal(std::string_view type, const json& value) {
    return envelope(type, "InternalDispatchEvent", json_line(value));
}
std::string value_of(const AnyEvent& event) {
    try {
        return json_line(in_declared_order(event));
    } catch (const std::exception& error) { return json_line(json{{"left_out", repair_utf8(error.what())}}); }
}
}

/// The run has no epoch any more at its last event.
void ServedRun::follow_owner(const RunInfo& run) {
    if (run.epoch == 0) return;
    log_->set_epoch(run.epoch);
    log_->set_database(run.store);
}
void ServedRun::event_streamed(const RunInfo& run, const AnyEvent& event) noexcept {
    try {
        {
            std::lock_guard lock(mutex_);
            if (let_go_) return;
            updated_ = real_clock().wall();
        }
        follow_owner(run);
        const bool is_last = event.type().is_stop || ending_of(event);
        if (!is_last) tell(event);
        else if (run.parent.empty()) finish(event);
    } catch (...) {}  // out of memory
}
void ServedRun::tell(const AnyEvent& event) {
    if (const auto* unhandled = event.get_if<UnhandledEvent>())
        return log_->add_internal(internal("UnhandledEvent", {{"event_type", unhandled->event},
                                                              {"qualified_name", unhandled->event},
                                                              {"step_name", nullptr},
                                                              {"idle", false}}));
    if (event.get_if<RunIdleEvent>() || event.get_if<RunResumedEvent>() || event.get_if<RunProgressEvent>() ||
        event.get_if<RunBegunAgainEvent>())
        return log_->add_internal(internal(event.name(), to_json(event)));
    const bool asks = event.question() != QuestionId::none;
    if (asks) {
        std::lock_guard lock(mutex_);
        asked_.id = id_text(event.question());
        questions_.push_back(asked_);
        if (told_.erase(asked_.id)) return;  // the log has had this question since before the restart
    }
    ChildSender sender;
    if (!event.path().empty()) sender = {event.run(), event.path()};
    log_->add(envelope(event.name(), asks ? "InputRequiredEvent" : nullptr, value_of(event), event.question(), sender));
}
void ServedRun::complete_with(std::string_view type, const std::string& value) {
    outcome_.type = type;
    envelope_ = envelope(type, "StopEvent", value);
}
void ServedRun::end_with(const AnyEvent& event) {
    const auto error = ending_of(event)->error(event.data());
    outcome_.error = error.what();
    outcome_.code = error.code();
    envelope_ = envelope_of_ending(event, updated_ - started_);
}
void ServedRun::finish(const AnyEvent& event) {
    std::unique_lock lock(mutex_);
    updated_ = real_clock().wall();
    const auto* ending = ending_of(event);
    const auto* failed = event.get_if<RunFailedEvent>();
    const bool is_lost = failed && failed->code == Code::journal && log_->is_stored();  // continues later
    if (!is_lost || !log_->outlives_lease()) {
        status_ = ending ? ending->status : RunStatus::done;
        completed_ = updated_;
    }
    if (ending) end_with(event);
    else complete_with(event.name(), value_of(event));
    auto last = envelope_;
    lock.unlock();
    if (is_lost) log_->break_off();
    else log_->add(std::move(last), true);
}
void ServedRun::run_ended(const RunInfo& run, RunStatus) noexcept {
    if (!run.parent.empty()) return;
    std::shared_ptr<ServedRun> keep;
    std::shared_ptr<void> needs;
    std::vector<Signal> waiting;
    {
        std::lock_guard lock(mutex_);
        if (let_go_) return;
        done_ = true;
        keep = std::move(keep_);
        needs = std::move(needs_);
        waiting = std::move(waiting_);
        questions_.clear();
        run_.reset();
    }
    for (const auto& signal : waiting) signal.ring();
    if (ended_) ended_(*this);
}
// The run publishes its open questions again before its first step continues.
void ServedRun::resumed() {
    std::lock_guard lock(mutex_);
    resuming_ = false;
}
void ServedRun::step_started(const StepInfo& step) noexcept {
    try {
        follow_owner(step.run);
        resumed();
        log_->add_internal({step.name, step.event, {}, step.worker, true});
    } catch (...) {}
}
void ServedRun::step_sleeps(const StepInfo& step, WallTime until) noexcept {
    try {
        std::lock_guard lock(mutex_);
        sleeps_[{std::string(step.run.id), step.number}] = until;
    } catch (...) {}
}
void ServedRun::step_ended(const StepInfo& step, bool) noexcept {
    try {
        {
            std::lock_guard lock(mutex_);
            if (!sleeps_.empty()) sleeps_.erase({std::string(step.run.id), step.number});
        }
        const auto output = step.emitted.empty() ? std::string_view() : step.emitted.front();
        log_->add_internal({step.name, step.event, output, step.worker, false});
    } catch (...) {}
}
void ServedRun::run_idle(const RunInfo& run, std::string_view) noexcept {
    if (!run.parent.empty()) return;
    try {
        resumed();
        log_->add_internal(internal("WorkflowIdleEvent", json::object()));
    } catch (...) {}
}
void ServedRun::question_asked(const RunInfo& run, std::string_view question, QuestionId id) noexcept {
    asked_ = {{}, std::string(question), std::string(run.id), id};
}
void ServedRun::question_answered(const RunInfo& run, std::string_view, QuestionId id) noexcept {
    std::lock_guard lock(mutex_);
    std::erase_if(questions_, [&](const auto& open) { return open.run == run.id && open.there == id; });
}
}
