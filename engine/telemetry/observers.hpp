// Combines several observers into one, which calls them in order.
//
//     telemetry::Observers all({&metrics, &tracer});
//     Engine engine({.observer = &all});
//
// The object and its observers must outlive the engine.
#pragma once
#include "engine/observer.hpp"
#include <vector>

namespace weft::telemetry {
class Observers final : public Observer {
public:
    /// Null pointers are skipped.
    explicit Observers(std::vector<Observer*>);
    void run_queued(const RunInfo&) noexcept override;
    void run_started(const RunInfo&) noexcept override;
    void run_idle(const RunInfo&, std::string_view waits_for) noexcept override;
    void run_ended(const RunInfo&, RunStatus) noexcept override;
    void run_parked(const RunInfo&) noexcept override;
    void step_started(const StepInfo&) noexcept override;
    void step_ended(const StepInfo&, bool failed) noexcept override;
    void step_sleeps(const StepInfo&, std::chrono::sys_time<std::chrono::microseconds> until) noexcept override;
    void step_retried(const StepInfo&, std::chrono::nanoseconds wait) noexcept override;
    void operation_started(OperationInfo&) noexcept override;
    void operation_ended(const OperationInfo&) noexcept override;
    bool wants_content() const noexcept override;
    void event_streamed(const RunInfo&, const AnyEvent&) noexcept override;
    void question_asked(const RunInfo&, std::string_view question, QuestionId) noexcept override;
    void question_answered(const RunInfo&, std::string_view question, QuestionId) noexcept override;

private:
    void each(auto call, auto&... arguments) const {
        for (auto* one : all_) (one->*call)(arguments...);
    }
    std::vector<Observer*> all_;
};
}
