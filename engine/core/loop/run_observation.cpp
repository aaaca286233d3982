// Only observed runs have this object; other runs pay one branch.
#include "engine/core/loop/run_observation.hpp"
#include "engine/any_event.hpp"
#include "engine/core/loop/attempt.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include <algorithm>

namespace weft::core {
RunObservation::RunObservation(const RunCore& run, Observer* of_run, Observer* of_engine)
    : run_(run), id_(run.id()), trace_(run.extras->trace.get()) {
    add(of_engine);
    add(of_run);
}
void RunObservation::add(Observer* o) {
    if (o && std::find(observers_.begin(), observers_.end(), o) == observers_.end()) observers_.push_back(o);
}
void RunObservation::inherit(const RunObservation& parent, Handle token) {
    parent_ = parent.id_;
    parent_step_ = parent.invocation_of(token).number;
    parent_operation_ = parent.innermost_of(token);
    if (!trace_) trace_ = parent.trace_;
    for (auto* o : parent.observers_) add(o);
}
Observer::RunInfo RunObservation::run() const {
    Observer::RunInfo run{id_, run_.definition->name, parent_, parent_step_, parent_operation_};
    if (const auto& track = run_.extras->track; track && track->log) {
        run.epoch = track->log->epoch;
        run.store = &track->log->store();
    }
    if (!trace_) return run;
    run.traceparent = trace_->traceparent;
    run.tracestate = trace_->tracestate;
    return run;
}
RunObservation::Invocation RunObservation::invocation_of(Handle token) const {
    for (const auto* a = run_.attempts; a; a = a->next)
        if (a->token == token) return a->seen;
    return last;  // its first turn
}
std::uint64_t RunObservation::innermost_of(Handle token) const {
    for (auto i = going_.size(); i-- > 0;)
        if (going_[i].token == token) return going_[i].operation;
    return 0;
}
Observer::StepInfo RunObservation::describe(StepIndex step, Handle token, Invocation invocation) const {
    const Definition& d = *run_.definition;
    const Token& t = run_.state.tokens[token];
    Observer::StepInfo s;
    s.number = invocation.number;
    s.name = d.steps[step].name;
    s.attempt = t.attempts + 1u;
    s.run = run();
    s.worker = invocation.worker;
    Handle cell = t.cell;
    if (cell == none) {
        s.events = 0;
        for (Handle i = t.items; i != none; i = run_.state.tokens[i].next) ++s.events;
        if (t.items != none) cell = run_.state.tokens[t.items].cell;
    }
    if (cell != none) s.event = d.events[const_cast<Cells&>(run_.cells)[cell].type].name;
    else  // for an empty collection: the collected type
        for (auto& edge : d.edges)
            if (!edge.emits && edge.step == s.name && s.event.empty()) s.event = edge.event;
    return s;
}
void RunObservation::begin(StepIndex step, Handle token) {
    if (busy_.size() <= step) busy_.resize(step + 1u);
    auto& workers = busy_[step];
    const auto free = std::find(workers.begin(), workers.end(), false);
    last = {++invocations_, std::uint32_t(free - workers.begin())};
    if (free == workers.end()) workers.push_back(true);
    else *free = true;
    const auto seen = describe(step, token, last);
    tell([&](Observer& o) { o.step_started(seen); });
}
void RunObservation::end(const StepCall& call, Invocation invocation, const std::exception_ptr& error) {
    busy_[call.step][invocation.worker] = false;
    auto seen = describe(call.step, call.token, invocation);
    std::vector<std::string_view> names;
    for (auto& e : call.emitted) names.push_back(run_.definition->events[e.type].name);
    seen.emitted = names;
    seen.error = error;
    tell([&](Observer& o) { o.step_ended(seen, bool(error)); });
}
void RunObservation::retried(const StepCall& call, Invocation invocation, const std::exception_ptr& error,
                             std::chrono::nanoseconds wait) const {
    auto seen = describe(call.step, call.token, invocation);
    seen.error = error;
    tell([&](Observer& o) { o.step_retried(seen, wait); });
}
void RunObservation::sleeps(StepIndex step, Handle token, WallTime until) const {
    const auto seen = describe(step, token, invocation_of(token));
    tell([&](Observer& o) { o.step_sleeps(seen, until); });
}
void RunObservation::streamed(Published* published) const {
    AnyEvent event(published);
    tell([&](Observer& o) { o.event_streamed(run(), event); });
    PrivateAccess::release(event);
}
void RunObservation::gone(bool has_ended) const {
    try {
        const PublishedBox last(last_event(run_));
        run_.sign(*last);
        streamed(last.get());
    } catch (...) {}  // a stop event's copy may throw: the reader gets the exception
    tell([&](Observer& o) { has_ended ? o.run_ended(run(), run_.state.status) : o.run_parked(run()); });
}
void RunObservation::asked(TypeIndex question, QuestionId id) const {
    tell([&](Observer& o) { o.question_asked(run(), run_.definition->events[question].name, id); });
}
void RunObservation::answered(TypeIndex response, QuestionId id) const {
    const Handle h = answered_question(run_.definition->plan, run_.state, response, id);
    if (h == none) return;
    const Token& question = run_.state.tokens[h];
    const auto name = run_.definition->events[question.step].name;
    tell([&](Observer& o) { o.question_answered(run(), name, question_id(h, question.items)); });
}

// --- operations ---
bool RunObservation::wants_content() const {
    return std::any_of(observers_.begin(), observers_.end(), [](const auto* o) { return o->wants_content(); });
}
void RunObservation::begin(Observer::OperationInfo& operation, Handle token) {
    operation.number = ++operations_;
    operation.parent = innermost_of(token);
    operation.step_number = invocation_of(token).number;
    operation.step = run_.definition->steps[run_.state.tokens[token].step].name;
    operation.run = run();
    operation.traceparent = operation.run.traceparent;
    operation.tracestate = operation.run.tracestate;
    going_.push_back({operation.number, token});
    tell([&](Observer& o) { o.operation_started(operation); });
}
void RunObservation::end(Observer::OperationInfo& operation) {
    std::erase_if(going_, [&](const RunningOperation& going) { return going.operation == operation.number; });
    tell([&](Observer& o) { o.operation_ended(operation); });
}
}
