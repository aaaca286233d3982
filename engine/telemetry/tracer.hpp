// Traces of runs, models and tools, sent to a collector of OpenTelemetry.
//
//     std::vector<std::string> warnings;
//     auto options = telemetry::otel_settings(variable, warnings);
//     options.agents = {"react", "tool_agent"};
//     telemetry::Tracer tracer(std::move(options));
//     Engine engine({.observer = &tracer});
//     tracer.start(engine.first_runtime());
//     serve(engine);
//     engine.wait(tracer.flush(5s));                    // when the last run has ended, before the engine goes
//
// | span | of | kind |
// |---|---|---|
// | `invoke_agent NAME`, `invoke_workflow NAME` | a run | internal |
// | `chat MODEL` | a call of a model, with its retries | client |
// | `execute_tool NAME` | a call of a tool | internal |
//
// Below a run's span are those of its calls, and of its children; a call in the course of another one, and a child that
// was started in the course of a call, are below that. A run that is no child is below its traceparent, if it has one.
// Attributes are those of the semantic conventions for generative AI, as steps/agents/common/observed.hpp says. A run
// has weft.run.id, weft.run.outcome, and the tokens of its calls; a call weft.step.name and weft.request.attempts.
// Steps, their retries and questions are events of their run's span, at most 128. A failure is the span's status with
// error.type; its sentence is shown only with content, as it may quote what was said. An idle durable run that leaves
// memory ends its span; when it is back it has another one.
//
// Requests that an operation makes carry its own traceparent, and the run's tracestate unchanged. The sampled flag of a
// run's traceparent is kept to, if the sampler is parent-based. Spans may get lost, but delay no run: see
// engine/telemetry/exporter.hpp. May be called from any thread. It outlives the engine.
#pragma once
#include "engine/observer.hpp"
#include "engine/telemetry/exporter.hpp"
#include <memory>

namespace weft::telemetry {
class Tracer final : public Observer {
public:
    explicit Tracer(TracerOptions, Clock& = real_clock());
    ~Tracer() override;
    /// Sends what there is from here on. On an engine's runtime, or on another one.
    void start(const Runtime& runtime) { exporter_.start(runtime); }
    /// False: not all of it was sent in that time. Spans that have not ended are not sent.
    awaitable<bool> flush(Duration within) { return exporter_.flush(within); }
    ExportCounts counts() const { return exporter_.counts(); }

    void run_started(const Run&) noexcept override;
    void run_ended(const Run&, Cause) noexcept override;
    void run_parked(const Run&) noexcept override;
    void step_ended(const Step&, bool failed) noexcept override;
    void step_retried(const Step&, std::chrono::nanoseconds wait) noexcept override;
    void operation_started(Operation&) noexcept override;
    void operation_ended(const Operation&) noexcept override;
    bool wants_content() const noexcept override { return content_; }
    void question_asked(const Run&, std::string_view question, QuestionId) noexcept override;
    void question_answered(const Run&, std::string_view question, QuestionId) noexcept override;

private:
    struct Parts;
    const bool content_;
    Exporter exporter_;
    std::unique_ptr<Parts> parts_;
};
}
