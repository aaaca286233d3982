// Metrics of runs, steps, models and tools, as text for Prometheus.
//
//     telemetry::Metrics metrics;
//     Engine engine({.observer = &metrics});
//     spawn(engine.first_runtime(), metrics.measure_loop_lag(), asio::detached);
//     metrics.gauge("weft_http_connections", "Connections that are open.", [&] { return connections(); });
//     answer(200, telemetry::Metrics::content_type, metrics.text());        // GET /metrics
//
// | metric | labels | meaning |
// |---|---|---|
// | `weft_runs_total` | workflow, outcome | runs that have ended: stopped, failed, timed_out, cancelled |
// | `weft_runs` | state | runs in memory now: working, idle, queued |
// | `weft_run_seconds` | workflow | from a run's start to its end, while it was in memory; histogram |
// | `weft_runs_parked_total` | workflow | idle durable runs that have left memory |
// | `weft_queue_wait_seconds` | workflow | from the start of a run that had to wait to its first step; histogram |
// | `weft_steps_total` | workflow, step, outcome | attempts of steps: ok, failed |
// | `weft_step_seconds` | workflow, step | histogram |
// | `weft_step_retries_total` | workflow, step | failed attempts with a retry |
// | `weft_questions_asked_total` | workflow, question | |
// | `weft_questions_answered_total` | workflow, question | |
// | `weft_model_calls_total` | provider, model, outcome | ok, or an error such as model_unreachable |
// | `weft_model_call_seconds` | provider, model | retries included; histogram |
// | `weft_model_retries_total` | provider, model | repeated requests, of calls with a reply |
// | `weft_model_tokens_total` | provider, model, kind | input, output; of these cache_read, cache_write, reasoning |
// | `weft_tool_calls_total` | tool, outcome | ok, tool_error, invalid_arguments, unknown_tool, cancelled |
// | `weft_tool_call_seconds` | tool | histogram |
// | `weft_loop_lag_seconds` | | delay of a timer of the loop, once a second; histogram |
//
// Child runs count as runs. No label is an id. Each metric has at most 1000 combinations of label values; further ones
// count as "other" (engine/telemetry/series.hpp). Thread-safe. Calls come between steps, and allocate only
// for a new run or combination. Must outlive the engine.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/clock.hpp"
#include "engine/observer.hpp"
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

namespace weft::telemetry {
class Series;
class Metrics final : public Observer {
public:
    static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";
    explicit Metrics(Clock& = real_clock());
    ~Metrics() override;

    /// Returns all metrics, as the answer of GET /metrics.
    std::string text() const;
    /// Measures once a second, without end, on the loop that runs it.
    awaitable<void> measure_loop_lag();

    using LabelList = std::initializer_list<std::string_view>;  // label values in order
    /// A number that only grows, for each combination of label values. Valid as long as the metrics.
    class Counter {
    public:
        /// Adds `by`, which must not be negative, to the number of these label values: one for each label. Thread-safe.
        void add(LabelList, double by = 1) const;

    private:
        friend class Metrics;
        Metrics* metrics_ = nullptr;
        Series* series_ = nullptr;
    };
    /// Counts of values in buckets, for each combination of label values. Valid as long as the metrics.
    class Histogram {
    public:
        /// Counts a value, for these label values: one for each label. Thread-safe.
        void observe(LabelList, double value) const;

    private:
        friend class Metrics;
        Metrics* metrics_ = nullptr;
        Series* series_ = nullptr;
    };
    /// User metrics; the objects may be copied. A counter's name ends in _total. Throws Error{usage} for a name that is
    /// invalid or exists.
    Counter counter(std::string name, std::string help, std::vector<std::string> labels = {});
    /// Without buckets: those for seconds, from a thousandth to half an hour.
    Histogram histogram(std::string name, std::string help, std::vector<std::string> labels = {},
                        std::vector<double> buckets = {});
    /// `value` is called for each text, by the calling thread; a value that throws is omitted.
    void gauge(std::string name, std::string help, std::function<double()>);
    /// The same for a number that only grows; the name ends in _total.
    void total(std::string name, std::string help, std::function<double()>);

    void run_queued(const RunInfo&) noexcept override;
    void run_started(const RunInfo&) noexcept override;
    void run_idle(const RunInfo&, std::string_view waits_for) noexcept override;
    void run_ended(const RunInfo&, RunStatus) noexcept override;
    void run_parked(const RunInfo&) noexcept override;
    void step_started(const StepInfo&) noexcept override;
    void step_ended(const StepInfo&, bool failed) noexcept override;
    void step_retried(const StepInfo&, std::chrono::nanoseconds wait) noexcept override;
    void operation_started(OperationInfo&) noexcept override;
    void operation_ended(const OperationInfo&) noexcept override;
    void question_asked(const RunInfo&, std::string_view question, QuestionId) noexcept override;
    void question_answered(const RunInfo&, std::string_view question, QuestionId) noexcept override;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};
}
