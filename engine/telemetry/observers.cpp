// Forwards each call to all observers.
#include "engine/telemetry/observers.hpp"
#include <algorithm>

namespace weft::telemetry {
Observers::Observers(std::vector<Observer*> all) : all_(std::move(all)) { std::erase(all_, nullptr); }
void Observers::run_queued(const RunInfo& run) noexcept { each(&Observer::run_queued, run); }
void Observers::run_started(const RunInfo& run) noexcept { each(&Observer::run_started, run); }
void Observers::run_idle(const RunInfo& run, std::string_view waits_for) noexcept {
    each(&Observer::run_idle, run, waits_for);
}
void Observers::run_ended(const RunInfo& run, RunStatus status) noexcept { each(&Observer::run_ended, run, status); }
void Observers::run_parked(const RunInfo& run) noexcept { each(&Observer::run_parked, run); }
void Observers::step_started(const StepInfo& step) noexcept { each(&Observer::step_started, step); }
void Observers::step_ended(const StepInfo& step, bool failed) noexcept { each(&Observer::step_ended, step, failed); }
void Observers::step_sleeps(const StepInfo& step, std::chrono::sys_time<std::chrono::microseconds> until) noexcept {
    each(&Observer::step_sleeps, step, until);
}
void Observers::step_retried(const StepInfo& step, std::chrono::nanoseconds wait) noexcept {
    each(&Observer::step_retried, step, wait);
}
void Observers::operation_started(OperationInfo& operation) noexcept { each(&Observer::operation_started, operation); }
void Observers::operation_ended(const OperationInfo& operation) noexcept {
    each(&Observer::operation_ended, operation);
}
bool Observers::wants_content() const noexcept {
    return std::any_of(all_.begin(), all_.end(), [](const auto* o) { return o->wants_content(); });
}
void Observers::event_streamed(const RunInfo& run, const AnyEvent& event) noexcept {
    each(&Observer::event_streamed, run, event);
}
void Observers::question_asked(const RunInfo& run, std::string_view question, QuestionId id) noexcept {
    each(&Observer::question_asked, run, question, id);
}
void Observers::question_answered(const RunInfo& run, std::string_view question, QuestionId id) noexcept {
    each(&Observer::question_answered, run, question, id);
}
}
