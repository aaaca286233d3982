// A run is found by its id, a step or operation by its number among the few in progress: this allocates nothing. Out of
// memory, a metric is skipped, because an observer must not throw.
#include "engine/telemetry/metrics.hpp"
#include "engine/error.hpp"
#include "engine/telemetry/series.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace weft::telemetry {
namespace {
using Kind = Series::Kind;
const std::vector<double> seconds_buckets = {.001, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800};
constexpr Duration lag_period = std::chrono::seconds(1);

struct StartTime {
    std::uint64_t number;
    Clock::Time began;
};
void begin(std::vector<StartTime>& going, std::uint64_t number, Clock::Time now) { going.push_back({number, now}); }
/// Returns zero if the begin is unknown.
Duration end(std::vector<StartTime>& going, std::uint64_t number, Clock::Time now) {
    const auto at = std::find_if(going.begin(), going.end(), [&](auto& one) { return one.number == number; });
    if (at == going.end()) return Duration::zero();
    const Duration took = now - at->began;
    *at = going.back();
    going.pop_back();
    return took;
}
enum class ActivityState { working, idle, queued };
constexpr std::string_view state_names[] = {"working", "idle", "queued"};
struct ActiveRun {  // a run in progress
    Clock::Time began;
    ActivityState state = ActivityState::working;
    std::vector<StartTime> steps, operations;
};
struct HashText {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
struct ObservableSeries {  // evaluated for each text
    Series::Description is;
    std::function<double()> value;
};
std::string_view text_of(const Observer::OperationInfo& operation, std::string_view key) {
    for (const auto& attribute : operation.attributes)
        if (const auto* text = std::get_if<std::string_view>(&attribute.value); text && attribute.key == key)
            return *text;
    return "unknown";
}
std::int64_t number_of(const Observer::OperationInfo& operation, std::string_view key) {
    for (const auto& attribute : operation.attributes)
        if (const auto* n = std::get_if<std::int64_t>(&attribute.value); n && attribute.key == key) return *n;
    return 0;
}
}

struct Metrics::Parts {
    explicit Parts(Clock& c) : clock(c) {
        for (const auto name : state_names) runs.set(Series::LabelSpan(&name, 1), 0);
    }
    Series& make(std::string name, std::string help, std::vector<std::string> labels, Kind kind = Kind::counter,
                 std::vector<double> buckets = {}) {
        demand_new(name);
        if (kind == Kind::histogram && buckets.empty()) buckets = seconds_buckets;
        return all.emplace_back(
            Series::Description{std::move(name), std::move(help), kind, std::move(labels), std::move(buckets)});
    }
    Series& make_seconds(std::string name, std::string help, std::vector<std::string> labels) {
        return make(std::move(name), std::move(help), std::move(labels), Kind::histogram);
    }
    void demand_new(const std::string& name) const {
        const bool is_taken = std::any_of(all.begin(), all.end(),
                                          [&](auto& series) { return series.name() == name; }) ||
                              std::any_of(asked.begin(), asked.end(), [&](auto& one) { return one.is.name == name; });
        if (is_taken)
            throw Error(Code::usage,
                        "there are two metrics '" + excerpt(name, 100) + "': give one of them another name");
    }
    void demand_total(const std::string& name) const {
        if (!name.ends_with("_total"))
            throw Error(Code::usage,
                        "the counter '" + excerpt(name, 100) + "' has a name that does not end in '_total'");
    }
    void ask(Series::Description is, std::function<double()> value) {
        std::lock_guard lock(mutex);
        demand_new(is.name);
        (void)Series(is);  // throws for an invalid name
        asked.push_back({std::move(is), std::move(value)});
    }
    void move(ActiveRun& run, ActivityState to) {
        count(run.state, -1);
        count(run.state = to, 1);
    }
    void count(ActivityState state, int by) { runs.add(Series::LabelSpan(&state_names[std::size_t(state)], 1), by); }
    static void add(Series& series, LabelList values, double by = 1) {
        series.add(Series::LabelSpan(values.begin(), values.size()), by);
    }
    static void observe(Series& series, LabelList values, Duration took) {
        series.observe(Series::LabelSpan(values.begin(), values.size()), std::chrono::duration<double>(took).count());
    }
    /// Never throws into a step.
    template <class Function> void locked(Function function) noexcept {
        try {
            std::lock_guard lock(mutex);
            function(*this);
        } catch (...) {}  // no memory
    }
    template <class Function> void with(std::string_view run, Function function) noexcept {
        locked([&](Parts& p) {
            if (const auto found = p.going.find(run); found != p.going.end()) function(p, found->second);
        });
    }
    void forget(const RunInfo& run) {
        const auto found = going.find(run.id);
        if (found == going.end()) return;
        count(found->second.state, -1);
        observe(run_seconds, {run.workflow}, clock.now() - found->second.began);
        going.erase(found);
    }

    Clock& clock;
    mutable std::mutex mutex;
    std::deque<Series> all;
    std::deque<ObservableSeries> asked;
    std::unordered_map<std::string, ActiveRun, HashText, std::equal_to<>> going;  // by id

    Series& runs_ended = make("weft_runs_total", "Runs that have ended.", {"workflow", "outcome"});
    Series& runs = make("weft_runs", "Runs in memory now.", {"state"}, Kind::gauge);
    Series& run_seconds = make_seconds("weft_run_seconds", "Time from the start of runs to their end.", {"workflow"});
    Series& parked = make("weft_runs_parked_total", "Stored runs that have left memory before their end.",
                          {"workflow"});
    Series& queue_seconds = make_seconds("weft_queue_wait_seconds", "Time in the queue.", {"workflow"});
    Series& steps = make("weft_steps_total", "Attempts of steps that have ended.", {"workflow", "step", "outcome"});
    Series& step_seconds = make_seconds("weft_step_seconds", "Time of attempts of steps.", {"workflow", "step"});
    Series& retries = make("weft_step_retries_total", "Failed attempts with a retry.", {"workflow", "step"});
    Series& asked_questions = make("weft_questions_asked_total", "Questions of runs.", {"workflow", "question"});
    Series& answered_questions = make("weft_questions_answered_total", "Questions that were answered.",
                                      {"workflow", "question"});
    Series& model_calls = make("weft_model_calls_total", "Calls of models.", {"provider", "model", "outcome"});
    Series& model_seconds = make_seconds("weft_model_call_seconds", "Time of calls of models, with retries.",
                                         {"provider", "model"});
    Series& model_retries = make("weft_model_retries_total", "Requests to models that had to be repeated.",
                                 {"provider", "model"});
    Series& tokens = make("weft_model_tokens_total", "Tokens of models.", {"provider", "model", "kind"});
    Series& tool_calls = make("weft_tool_calls_total", "Calls of tools.", {"tool", "outcome"});
    Series& tool_seconds = make_seconds("weft_tool_call_seconds", "Time of calls of tools.", {"tool"});
    Series& lag = make_seconds("weft_loop_lag_seconds", "Delay of a timer of the loop.", {});
};

Metrics::Metrics(Clock& clock) : parts_(new Parts(clock)) {}
Metrics::~Metrics() = default;

// --- text ---
std::string Metrics::text() const {
    std::string text;
    std::vector<ObservableSeries> asked;
    {
        std::lock_guard lock(parts_->mutex);
        for (const auto& series : parts_->all) series.write(text);
        asked.assign(parts_->asked.begin(), parts_->asked.end());
    }
    for (const auto& one : asked) {  // without the lock, because the functions may do anything
        try {
            const double value = one.value();
            Series series(one.is);
            series.set({}, value);
            series.write(text);
        } catch (...) {}
    }
    return text;
}
awaitable<void> Metrics::measure_loop_lag() {
    auto& clock = co_await this_clock();
    for (;;) {
        const auto due = clock.after(lag_period);
        co_await sleep_for(lag_period);
        const Duration late = clock.now() - due;
        parts_->locked([late](Parts& p) { Parts::observe(p.lag, {}, std::max(late, Duration::zero())); });
    }
}

// --- user metrics ---
Metrics::Counter Metrics::counter(std::string name, std::string help, std::vector<std::string> labels) {
    parts_->demand_total(name);
    std::lock_guard lock(parts_->mutex);
    Counter counter;
    counter.metrics_ = this;
    counter.series_ = &parts_->make(std::move(name), std::move(help), std::move(labels));
    return counter;
}
Metrics::Histogram Metrics::histogram(std::string name, std::string help, std::vector<std::string> labels,
                                      std::vector<double> buckets) {
    std::lock_guard lock(parts_->mutex);
    Histogram histogram;
    histogram.metrics_ = this;
    histogram.series_ = &parts_->make(std::move(name), std::move(help), std::move(labels), Kind::histogram,
                                      std::move(buckets));
    return histogram;
}
void Metrics::gauge(std::string name, std::string help, std::function<double()> value) {
    parts_->ask({std::move(name), std::move(help), Kind::gauge}, std::move(value));
}
void Metrics::total(std::string name, std::string help, std::function<double()> value) {
    parts_->demand_total(name);
    parts_->ask({std::move(name), std::move(help), Kind::counter}, std::move(value));
}
void Metrics::Counter::add(LabelList values, double by) const {
    metrics_->parts_->locked([&](Parts&) { Parts::add(*series_, values, by); });
}
void Metrics::Histogram::observe(LabelList values, double value) const {
    metrics_->parts_->locked(
        [&](Parts&) { series_->observe(Series::LabelSpan(values.begin(), values.size()), value); });
}

// --- observed runs ---
void Metrics::run_started(const RunInfo& run) noexcept {
    parts_->locked([&](Parts& p) {
        const auto [at, is_new] = p.going.try_emplace(std::string(run.id));
        if (!is_new) return;
        at->second.began = p.clock.now();
        p.count(ActivityState::working, 1);
    });
}
void Metrics::run_queued(const RunInfo& run) noexcept {
    parts_->with(run.id, [](Parts& p, ActiveRun& going) { p.move(going, ActivityState::queued); });
}
void Metrics::run_idle(const RunInfo& run, std::string_view) noexcept {
    parts_->with(run.id, [](Parts& p, ActiveRun& going) { p.move(going, ActivityState::idle); });
}
void Metrics::run_ended(const RunInfo& run, RunStatus status) noexcept {
    parts_->locked([&](Parts& p) {
        Parts::add(p.runs_ended, {run.workflow, metric_word(status)});
        p.forget(run);
    });
}
void Metrics::run_parked(const RunInfo& run) noexcept {
    parts_->locked([&](Parts& p) {
        Parts::add(p.parked, {run.workflow});
        p.forget(run);
    });
}
void Metrics::step_started(const StepInfo& step) noexcept {
    parts_->with(step.run.id, [&](Parts& p, ActiveRun& going) {
        const auto now = p.clock.now();
        if (going.state == ActivityState::queued)
            Parts::observe(p.queue_seconds, {step.run.workflow}, now - going.began);
        if (going.state != ActivityState::working) p.move(going, ActivityState::working);
        begin(going.steps, step.number, now);
    });
}
void Metrics::step_ended(const StepInfo& step, bool failed) noexcept {
    parts_->with(step.run.id, [&](Parts& p, ActiveRun& going) {
        const auto took = end(going.steps, step.number, p.clock.now());
        Parts::add(p.steps, {step.run.workflow, step.name, failed ? "failed" : "ok"});
        Parts::observe(p.step_seconds, {step.run.workflow, step.name}, took);
    });
}
void Metrics::step_retried(const StepInfo& step, std::chrono::nanoseconds) noexcept {
    parts_->locked([&](Parts& p) { Parts::add(p.retries, {step.run.workflow, step.name}); });
}
void Metrics::question_asked(const RunInfo& run, std::string_view question, QuestionId) noexcept {
    parts_->locked([&](Parts& p) { Parts::add(p.asked_questions, {run.workflow, question}); });
}
void Metrics::question_answered(const RunInfo& run, std::string_view question, QuestionId) noexcept {
    parts_->locked([&](Parts& p) { Parts::add(p.answered_questions, {run.workflow, question}); });
}
void Metrics::operation_started(OperationInfo& operation) noexcept {
    parts_->with(operation.run.id,
                 [&](Parts& p, ActiveRun& going) { begin(going.operations, operation.number, p.clock.now()); });
}
void Metrics::operation_ended(const OperationInfo& operation) noexcept {
    parts_->with(operation.run.id, [&](Parts& p, ActiveRun& going) {
        const auto took = end(going.operations, operation.number, p.clock.now());
        const auto outcome = operation.error_type.empty() ? std::string_view("ok") : operation.error_type;
        if (operation.kind == "execute_tool") {
            Parts::add(p.tool_calls, {operation.name, outcome});
            Parts::observe(p.tool_seconds, {operation.name}, took);
        }
        if (operation.kind != "chat") return;
        const auto provider = text_of(operation, "gen_ai.provider.name"), model = operation.name;
        Parts::add(p.model_calls, {provider, model, outcome});
        Parts::observe(p.model_seconds, {provider, model}, took);
        const auto count = [&](Series& series, std::string_view kind, std::int64_t number) {
            if (number <= 0) return;
            if (kind.empty()) Parts::add(series, {provider, model}, static_cast<double>(number));
            else Parts::add(series, {provider, model, kind}, static_cast<double>(number));
        };
        count(p.tokens, "input", number_of(operation, "gen_ai.usage.input_tokens"));
        count(p.tokens, "output", number_of(operation, "gen_ai.usage.output_tokens"));
        count(p.tokens, "cache_read", number_of(operation, "gen_ai.usage.cache_read.input_tokens"));
        count(p.tokens, "cache_write", number_of(operation, "gen_ai.usage.cache_creation.input_tokens"));
        count(p.tokens, "reasoning", number_of(operation, "gen_ai.usage.reasoning.output_tokens"));
        count(p.model_retries, {}, number_of(operation, "weft.request.attempts") - 1);
    });
}
}
