// A run that is not sampled is tracked without a span: its children and requests belong to the same trace, and get its
// flag "not sampled".
#include "engine/telemetry/tracer.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/operation.hpp"
#include "engine/telemetry/span.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/hex.hpp"
#include "engine/text/utf8.hpp"
#include "engine/trace_context.hpp"
#include <algorithm>
#include <charconv>
#include <mutex>
#include <unordered_map>

namespace weft::telemetry {
namespace {
constexpr std::size_t most_events = 128;

struct OpenSpan {
    std::string id;
    Clock::Time began;
    Span span;                 // if sampled
    std::uint64_t number = 0;  // an operation's
};
struct TracedRun {
    std::string trace, state;
    bool sampled = false;
    OpenSpan own;
    std::vector<OpenSpan> operations;
    std::int64_t input_tokens = 0, output_tokens = 0;
    std::string failure;  // error type of the last failed step
};
struct HashId {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
}

struct Tracer::Parts {
    Parts(TracerOptions o, Clock& c, Exporter& e)
        : options(std::move(o)), clock(c), exporter(e), seed(options.seed.value_or(core::draw_seed())) {}
    std::uint64_t draw() {  // never zero, which is not a valid id
        for (;;)
            if (const auto number = core::mix(seed++); number != 0) return number;
    }
    bool is_sampled(std::string_view trace) const {
        if (options.sampler != Sampler::ratio) return options.sampler == Sampler::always_on;
        if (options.ratio >= 1) return true;
        std::uint64_t low = 0;
        std::from_chars(trace.data() + 16, trace.data() + 32, low, 16);
        return static_cast<double>(low >> 1) < options.ratio * 0x1p63;
    }
    std::uint64_t now_ns() const {
        const auto since = clock.wall().time_since_epoch();
        return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
    }
    std::uint64_t now_of(const OpenSpan& open) const {  // uses the monotonic clock, because the date may have jumped
        const Duration since = clock.now() - open.began;
        return open.span.begin + static_cast<std::uint64_t>(since.count());
    }
    OpenSpan open(const TracedRun& run, std::string name, Span::Kind kind, std::string parent) {
        OpenSpan open;
        open.id = hex(draw());
        open.began = clock.now();
        if (!run.sampled) return open;
        auto& span = open.span;
        span.trace = run.trace;
        span.id = open.id;
        span.parent = std::move(parent);
        span.state = run.state;
        span.name = std::move(name);
        span.kind = kind;
        span.begin = now_ns();
        return open;
    }
    void close(const TracedRun& run, OpenSpan& open) {
        if (!run.sampled) return;
        open.span.end = now_of(open);
        exporter.add(otlp_text(open.span));
    }
    void fail(Span& span, std::string type, const std::exception_ptr& error) {
        span.failed = true;
        span.attributes.push_back({"error.type", std::move(type)});
        if (options.content && error) span.message = excerpt(sentence_of(error), 1000);
    }
    /// Finds the parent of a run's span: the parent run, else its traceparent; else the run begins a trace.
    std::string join(TracedRun& run, const RunInfo& told) {
        if (const auto parent = runs.find(told.parent); parent != runs.end()) {
            const auto& above = parent->second;
            run.trace = above.trace;
            run.state = above.state;
            run.sampled = above.sampled;
            for (const auto& operation : above.operations)
                if (operation.number == told.parent_operation) return operation.id;
            return above.own.id;
        }
        if (!is_traceparent(told.traceparent)) {
            run.trace = hex(draw()) + hex(draw());
            run.sampled = is_sampled(run.trace);
            return {};
        }
        run.trace = told.traceparent.substr(3, 32);
        run.state = told.tracestate;
        const bool is_flagged = hex_value(told.traceparent.back()) % 2 == 1;
        run.sampled = options.parent_based ? is_flagged : is_sampled(run.trace);
        return std::string(told.traceparent.substr(36, 16));
    }
    void begin(const RunInfo& told) {
        TracedRun run;
        auto parent = join(run, told);
        const bool agent = std::ranges::find(options.agents, told.workflow) != options.agents.end();
        const std::string kind = agent ? "invoke_agent" : "invoke_workflow", workflow(told.workflow);
        run.own = open(run, kind + ' ' + workflow, Span::Kind::internal, std::move(parent));
        run.own.span.attributes = {{"gen_ai.operation.name", kind},
                                   {agent ? "gen_ai.agent.name" : "gen_ai.workflow.name", workflow},
                                   {"weft.run.id", std::string(told.id)}};
        runs.insert_or_assign(std::string(told.id), std::move(run));
    }
    void end(const RunInfo& told, std::string outcome, std::string error_type, bool failed) {
        const auto found = runs.find(told.id);
        if (found == runs.end()) return;
        auto& run = found->second;
        auto& span = run.own.span;
        span.attributes.push_back({"weft.run.outcome", std::move(outcome)});
        if (run.input_tokens) span.attributes.push_back({"gen_ai.usage.input_tokens", run.input_tokens});
        if (run.output_tokens) span.attributes.push_back({"gen_ai.usage.output_tokens", run.output_tokens});
        if (failed) fail(span, error_type, nullptr);
        else if (!error_type.empty()) span.attributes.push_back({"error.type", std::move(error_type)});
        close(run, run.own);
        runs.erase(found);
    }
    void note(const RunInfo& told, std::string name, std::vector<SpanAttribute> attributes) {
        const auto found = runs.find(told.id);
        if (found == runs.end() || !found->second.sampled) return;
        auto& own = found->second.own;
        if (own.span.events.size() >= most_events) ++own.span.dropped_events;
        else own.span.events.push_back({now_of(own), std::move(name), std::move(attributes)});
    }
    void begin(OperationInfo& told) {
        const auto found = runs.find(told.run.id);
        if (found == runs.end()) return;
        auto& run = found->second;
        auto parent = run.own.id;
        for (const auto& operation : run.operations)
            if (operation.number == told.parent) parent = operation.id;
        const auto kind = told.kind == "chat" ? Span::Kind::client : Span::Kind::internal;
        std::string name(told.kind);
        if (!told.name.empty()) (name += ' ') += told.name;
        auto opened = open(run, std::move(name), kind, std::move(parent));
        opened.number = told.number;
        told.traceparent = "00-" + run.trace + '-' + opened.id + (run.sampled ? "-01" : "-00");
        told.tracestate = run.state;
        run.operations.push_back(std::move(opened));
    }
    void end(const OperationInfo& told) {
        const auto found = runs.find(told.run.id);
        if (found == runs.end()) return;
        auto& run = found->second;
        const auto at = std::find_if(run.operations.begin(), run.operations.end(),
                                     [&](auto& operation) { return operation.number == told.number; });
        if (at == run.operations.end()) return;
        for (const auto& attribute : told.attributes) {
            const auto* number = std::get_if<std::int64_t>(&attribute.value);
            if (number && attribute.key == "gen_ai.usage.input_tokens") run.input_tokens += *number;
            if (number && attribute.key == "gen_ai.usage.output_tokens") run.output_tokens += *number;
            if (run.sampled) at->span.attributes.push_back(owned(attribute));
        }
        if (run.sampled) at->span.attributes.push_back({"weft.step.name", std::string(told.step)});
        if (!told.error_type.empty()) fail(at->span, std::string(told.error_type), told.error);
        close(run, *at);
        run.operations.erase(at);
    }
    /// Never throws into a step.
    template <class Function> void locked(Function function) noexcept {
        if (!options.enabled) return;
        try {
            std::lock_guard lock(mutex);
            function(*this);
        } catch (...) {}  // no memory
    }

    const TracerOptions options;
    Clock& clock;
    Exporter& exporter;
    std::mutex mutex;
    std::uint64_t seed;
    std::unordered_map<std::string, TracedRun, HashId, std::equal_to<>> runs;  // by id
};

Tracer::Tracer(TracerOptions options, Clock& clock)
    : content_(options.enabled && options.content),
      exporter_(options),
      parts_(new Parts(std::move(options), clock, exporter_)) {}
Tracer::~Tracer() = default;

void Tracer::run_started(const RunInfo& run) noexcept {
    parts_->locked([&](Parts& p) { p.begin(run); });
}
void Tracer::run_ended(const RunInfo& run, RunStatus status) noexcept {
    parts_->locked([&](Parts& p) {
        std::string type;
        if (status == RunStatus::failed)
            if (const auto found = p.runs.find(run.id); found != p.runs.end()) type = found->second.failure;
        if (status == RunStatus::failed && type.empty()) type = name(Code::step_failed);
        if (status > RunStatus::failed) type = metric_word(status);
        p.end(run, std::string(metric_word(status)), std::move(type), has_failed(status));
    });
}
void Tracer::run_parked(const RunInfo& run) noexcept {
    parts_->locked([&](Parts& p) { p.end(run, "parked", {}, false); });
}
void Tracer::step_ended(const StepInfo& step, bool failed) noexcept {
    parts_->locked([&](Parts& p) {
        const std::string type(error_type_of(step.error));
        if (const auto found = p.runs.find(step.run.id); failed && found != p.runs.end()) found->second.failure = type;
        std::vector<SpanAttribute> attributes{{"weft.step.name", std::string(step.name)},
                                              {"weft.step.attempt", std::int64_t(step.attempt)}};
        if (failed) attributes.push_back({"error.type", type});
        p.note(step.run, "step", std::move(attributes));
    });
}
void Tracer::step_retried(const StepInfo& step, std::chrono::nanoseconds wait) noexcept {
    parts_->locked([&](Parts& p) {
        p.note(step.run, "retry",
               {{"weft.step.name", std::string(step.name)},
                {"weft.retry.wait", std::chrono::duration<double>(wait).count()}});
    });
}
void Tracer::question_asked(const RunInfo& run, std::string_view question, QuestionId) noexcept {
    parts_->locked([&](Parts& p) { p.note(run, "question", {{"weft.question", std::string(question)}}); });
}
void Tracer::question_answered(const RunInfo& run, std::string_view question, QuestionId) noexcept {
    parts_->locked([&](Parts& p) { p.note(run, "answer", {{"weft.question", std::string(question)}}); });
}
void Tracer::operation_started(OperationInfo& operation) noexcept {
    parts_->locked([&](Parts& p) { p.begin(operation); });
}
void Tracer::operation_ended(const OperationInfo& operation) noexcept {
    parts_->locked([&](Parts& p) { p.end(operation); });
}
}
