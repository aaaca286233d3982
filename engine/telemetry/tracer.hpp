// Sends traces of runs, models and tools to an OpenTelemetry collector.
//
//     std::vector<std::string> warnings;
//     auto options = telemetry::otel_settings(variable, warnings);
//     options.agents = {"react", "tool_agent"};
//     telemetry::Tracer tracer(std::move(options));
//     Engine engine({.observer = &tracer});
//     tracer.start(engine.first_runtime());
//     serve(engine);
//     engine.wait(tracer.flush(5s));                    // after the last run, before the engine's end
//
// | span | of | kind |
// |---|---|---|
// | `invoke_agent NAME`, `invoke_workflow NAME` | a run | internal |
// | `chat MODEL` | a call of a model, with its retries | client |
// | `execute_tool NAME` | a call of a tool | internal |
//
// A run's span contains the spans of its calls and children; spans of calls and children that begin within a call are
// below that call's span. A run without a parent is below its traceparent, if any. Attributes follow the semantic
// conventions for generative AI (steps/agents/common/call_operations.hpp). A run has weft.run.id, weft.run.outcome, and
// the tokens of its calls; a call has weft.step.name and weft.request.attempts. Steps, their retries and questions are
// events of the run's span, at most 128. A failure sets the span's status and error.type; its sentence needs the option
// `content`, because it may quote texts. An idle durable run that leaves memory ends its span, and gets another one
// when it returns.
//
// Requests of an operation carry its own traceparent, and the run's tracestate unchanged. A parent-based sampler
// follows the sampled flag of a run's traceparent. Spans may get lost, but never delay a run
// (engine/telemetry/exporter.hpp). Thread-safe. Must outlive the engine.
#pragma once
#include "engine/observer.hpp"
#include "engine/telemetry/exporter.hpp"
#include <memory>

namespace weft::telemetry {
class Tracer final : public Observer {
public:
    explicit Tracer(TracerOptions, Clock& = real_clock());
    ~Tracer() override;
    /// Sends spans from now on, on an engine's runtime or any other.
    void start(const Runtime& runtime) { exporter_.start(runtime); }
    /// Returns false if some spans were not sent in time. Open spans are not sent.
    awaitable<bool> flush(Duration within) { return exporter_.flush(within); }
    /// Numbers of spans since the construction: sent, lost, and still waiting. Thread-safe.
    ExportCounts counts() const { return exporter_.counts(); }

    void run_started(const RunInfo&) noexcept override;
    void run_ended(const RunInfo&, RunStatus) noexcept override;
    void run_parked(const RunInfo&) noexcept override;
    void step_ended(const StepInfo&, bool failed) noexcept override;
    void step_retried(const StepInfo&, std::chrono::nanoseconds wait) noexcept override;
    void operation_started(OperationInfo&) noexcept override;
    void operation_ended(const OperationInfo&) noexcept override;
    bool wants_content() const noexcept override { return content_; }
    void question_asked(const RunInfo&, std::string_view question, QuestionId) noexcept override;
    void question_answered(const RunInfo&, std::string_view question, QuestionId) noexcept override;

private:
    struct Parts;
    const bool content_;
    Exporter exporter_;
    std::unique_ptr<Parts> parts_;
};
}
