// The path of an event comes first, inlined into one function. Rare cases follow, out of line.
#include "engine/core/loop/attempts.hpp"
#include "engine/core/loop/attempt.hpp"
#include "engine/core/loop/begin_again.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/undoing.hpp"
#include "engine/core/snapshot.hpp"
#include "engine/error.hpp"

namespace weft::core {
struct AttemptTimer : Timer, Recycled {  // for a step with a timeout or a retry policy
    Attempt* attempt = nullptr;
    Clock::Time began{};
    bool rang = false;
};

// --- the path of an event: pump -> invoke -> the step -> finish -> take -> reduce, in one function ---
[[gnu::always_inline]] inline void Attempts::take(RunCore& run, const Tick& tick, Slots* edits) {
    if (keeper_) [[unlikely]]
        return keeper_->take(run, tick, edits);
    if (edits && run.state.status == RunStatus::running) run.slots.commit(*edits);
    if (!run.commands) [[unlikely]]
        loop_.lend_commands(run);
    reduce(run.definition->plan, run.state, tick, *run.commands);
    if (run.asked != run.state.asked) [[unlikely]]
        run.tell_questions();
}
[[gnu::always_inline]] inline void Attempts::release_input(StepCall& call) {
    RunCore& run = call.run;
    const Token& token = run.state.tokens[call.token];
    if (call.input) return run.cells.release(token.cell, *call.input);
    for (Handle i = token.items; i != none; i = run.state.tokens[i].next) run.cells.release(run.state.tokens[i].cell);
}
[[gnu::always_inline]] inline void Attempts::finish(StepCall& call) {
    RunCore& run = call.run;
    Slots& staged = PrivateAccess::staged(call.context);
    Slots* edits = staged.first() ? &staged : nullptr;
    if (edits) {
        if (auto* next = edits->find(&slot_type<NextStart>); next && run.state.status == RunStatus::running)
            [[unlikely]]
            return begin_again(call, *static_cast<NextStart*>(next->value()));
        if (auto* slot = run.slots.reconcile(*edits)) [[unlikely]]
            throw EditConflict("step " + std::string(run.definition->steps[call.step].name) +
                               " and a step that ran beside it have both changed " + std::string(slot->name) +
                               ": make it a Growing list, give it a merge function, or let one step change it");
    }
    if (keeper_) [[unlikely]]
        keeper_->prepare_finished(call, edits);
    if (run.extras) [[unlikely]] {
        observe_end(call, nullptr);
        if (run.state.tokens[call.token].dropped) return drop(call);  // an observer has ended its branch
    }
    release_input(call);
    if (!keeper_ && !edits && run.commands &&
        pass_on(run.definition->plan, run.state, call.fan_out, call.token, emitted_, *run.commands))
        return;
    take(run, {.kind = Tick::finished, .fan_out = call.fan_out, .token = call.token, .events = emitted_}, edits);
}
[[gnu::always_inline]] inline void Attempts::invoke(RunCore& run, StepIndex step, Handle token) {
    const StepType& type = run.definition->steps[step];
    emitted_.clear();
    if (type.watched || run.extras) [[unlikely]]
        return invoke_watched(run, step, token);
    if (!type.call) return invoke_waiting(run, step, token, {});
    StepCall call(run, step, token, emitted_);
    try {
        type.call(call);
        finish(call);
    } catch (...) { fail(call, std::current_exception(), {}); }
}
void LoopCore::pump(RunCore& run) {
    auto& commands = *run.commands;
    for (int left = batch; commands.done != commands.size(); --left) {
        if (left == 0) {
            if (run.extras) run.tell_progress();
            return make_ready(run);
        }
        // Reads field by field, as the command was just written: a wider load would wait for all these stores.
        const Command& c = commands[commands.done];
        const auto kind = c.kind;
        if (keeper_.store() && keeper_.waits_for_store(run, kind == Command::invoke)) [[unlikely]]
            return;
        const auto step = c.step;
        const auto token = c.token, cell = c.cell;
        if (++commands.done == commands.size()) {
            commands.clear();
            commands.done = 0;
        }
        switch (kind) {
        case Command::invoke:
            if (run.state.status == RunStatus::running) attempts_.invoke(run, step, token);
            break;
        case Command::publish:  // RunCore::tell_questions() has published the question
        case Command::discard: run.cells.release(cell); break;
        case Command::unhandled: run.cells.discard(cell); break;
        case Command::cancel: attempts_.cancel_branch(run, token); break;
        case Command::end: end(run); break;
        }
    }
    spare_.emplace_back(std::exchange(run.commands, nullptr));
    if (run.state.status != RunStatus::running) {
        if (!run.attempts) complete(run);
    } else if (run.waiting == 0 || run.extras) run.rest();
}

// --- steps with a policy, an observer, or a coroutine ---
static RunObservation::Invocation seen_of(const StepCall& call) {
    if (call.run.definition->steps[call.step].call) return call.run.extras->watch->last;  // the call has not waited
    return static_cast<const Attempt&>(call).seen;
}
void Attempts::invoke_watched(RunCore& run, StepIndex step, Handle token) {
    const StepType& type = run.definition->steps[step];
    if (run.state.tokens[token].dropped) {
        StepCall call(run, step, token, emitted_);
        return drop(call);
    }
    if (run.extras && run.extras->watch) run.extras->watch->begin(step, token);
    const auto began = type.timed ? loop_.runtime().clock->now() : Clock::Time{};
    if (!type.call && run.extras && run.extras->track) keep_input(run, token);
    if (!type.call) return invoke_waiting(run, step, token, began);
    StepCall call(run, step, token, emitted_);
    try {
        type.call(call);
        finish_or_drop(call);
    } catch (...) { fail(call, std::current_exception(), began); }
}
void Attempts::finish_or_drop(StepCall& call) {  // the step itself may have ended its branch by an answer
    if (call.run.state.tokens[call.token].dropped) drop_observed(call);
    else finish(call);
}
void Attempts::invoke_waiting(RunCore& run, StepIndex step, Handle token, Clock::Time began) {
    const StepType& type = run.definition->steps[step];
    auto attempt = std::make_unique<Attempt>(run, step, token, emitted_, loop_.runtime());
    if (run.extras && run.extras->watch) attempt->seen = run.extras->watch->last;
    try {
        if (!type.start(*attempt)) {
            auto* a = attempt.release();
            a->link();
            if (run.definition->cancels_branches()) run.more().branch(token).attempt = a;
            if (!type.timed) return;
            a->timer = new AttemptTimer;
            a->timer->attempt = a;
            a->timer->began = began;
            a->timer->ring = [](Timer& t) {
                auto& timer = static_cast<AttemptTimer&>(t);
                timer.rang = true;
                timer.attempt->cancel();
            };
            if (type.policy.timeout.count())
                loop_.timers().set(*a->timer, loop_.runtime().clock->after(type.policy.timeout));
            return;
        }
        finish_or_drop(*attempt);
    } catch (...) { fail(*attempt, std::current_exception(), began); }
}
Attempt::~Attempt() {
    if (!timer) return;
    run.loop.load()->timers().remove(*timer);
    delete timer;
}
void Attempts::collect_ended() {
    while (auto* a = first_ended_) {
        first_ended_ = a->next_ended;
        if (first_ended_) {  // it may have left the cache: it comes back during the work below
            __builtin_prefetch(first_ended_);
            __builtin_prefetch(&first_ended_->began);
        }
        std::unique_ptr<Attempt> attempt(a);
        a->unlink();
        if (a->was_abandoned) std::exchange(a->coroutine, {}).destroy();  // first: the frame may refer to the event
        if (a->run.definition->cancels_branches()) a->run.more().branch(a->token).attempt = nullptr;
        emitted_.clear();
        const StepType& type = a->run.definition->steps[a->step];
        const auto began = a->timer ? a->timer->began : Clock::Time{};
        if (a->run.state.tokens[a->token].dropped) {
            drop_observed(*a);
            continue;
        }
        try {
            if (a->timer && a->timer->rang)  // even if the step has caught its cancellation
                throw Error(Code::timed_out, "step " + std::string(type.name) + " took longer than its timeout of " +
                                                 in_seconds(type.policy.timeout));
            if (a->was_abandoned) throw_aborted();
            type.collect(*a);
            finish(*a);
        } catch (...) { fail(*a, std::current_exception(), began); }
    }
}

// The step's own events and edits are dropped.
void Attempts::begin_again(StepCall& call, NextStart& next) {
    RunCore& run = call.run;
    check_next_start(run, call.token, next);
    WaitingStart begun{.start = {}, .token = call.token, .next = next};
    if (!next.make || !waits_for_signals(run, call.token)) begun.start = put_next_start(run, next);
    release_emitted(call);
    observe_end(call, nullptr);
    if (run.extras && run.extras->waiting_start) {  // the later of two takes the place of the earlier one
        const auto earlier = std::exchange(run.extras->waiting_start, {});
        if (earlier->start) run.cells.discard(earlier->start->cell);
        release_input(run, earlier->token);
        take(run, {.kind = Tick::finished, .token = earlier->token}, nullptr);
    }
    const bool is_dropped = run.state.tokens[call.token].dropped;
    const bool can_begin = run.state.status == RunStatus::running && !is_dropped;
    const bool waits = waits_for_signals(run, call.token);  // an observer may have sent one
    if (can_begin && !waits && begun.start) return begin_again(run, call.token, *begun.start);
    if (begun.start && (next.make || !can_begin)) run.cells.discard(std::exchange(begun.start, {})->cell);
    if (can_begin) {
        run.more().waiting_start = std::make_unique<WaitingStart>(std::move(begun));
        if (!waits) begin_waiting(run);
    } else {  // by an observer
        release_input(call);
        take(run, {.kind = is_dropped ? Tick::dropped : Tick::finished, .token = call.token}, nullptr);
    }
}
bool Attempts::begin_waiting(RunCore& run) {
    if (run.state.status != RunStatus::running || is_held_back(run, run.extras->waiting_start->token)) return false;
    const auto waiting = std::exchange(run.extras->waiting_start, {});
    if (!waiting->start) try {
            waiting->start = put_next_start(run, waiting->next);
        } catch (...) {
            StepCall call(run, run.state.tokens[waiting->token].step, waiting->token, emitted_);
            const auto error = std::current_exception();
            if (!rescue(call, error, loop_.runtime().clock->now())) give_up(run, waiting->token, error);
            return true;
        }
    begin_again(run, waiting->token, *waiting->start);
    return true;
}
void Attempts::release_input(RunCore& run, Handle token) {
    const Token& of = run.state.tokens[token];
    if (of.cell != none) return run.cells.release(of.cell);
    for (Handle i = of.items; i != none; i = run.state.tokens[i].next) run.cells.release(run.state.tokens[i].cell);
}
void Attempts::begin_again(RunCore& run, Handle token, Emitted start) {
    release_input(run, token);
    drop_state(run, token);
    if (run.extras && run.extras->track) return keeper_->begin_again(run, start);
    take(run, {.kind = Tick::arrived, .events = {&start, 1}}, nullptr);
    run.publish(new Published::Of<RunBegunAgainEvent>(RunBegunAgainEvent()));
}

// --- input from outside ---
void RunCore::arrive(Emitted e, QuestionId question) {
    if (extras && extras->watch) extras->watch->answered(e.type, question);
    loop.load()->attempts().take(*this, {.kind = Tick::arrived, .events = {&e, 1}, .question = question}, nullptr);
    if (!(extras && extras->track)) tell_if_unhandled();
}
void RunCore::time_out() {
    if (state.status != RunStatus::running) return;
    if (state.ending == EndingPhase::not_begun) extras->active_steps = extras->busy_steps();
    end_by(RunStatus::timed_out);
}
void RunCore::end_by(RunStatus status) {
    if (!loop || state.status != RunStatus::running) return;
    const auto event = put_ending(*this, status);
    loop.load()->attempts().take(*this, {.kind = Tick::ended, .status = status, .events = list_of(event)}, nullptr);
    begin_undoing(*this, event);
}

// --- failures ---
void Attempts::release_emitted(StepCall& call) {  // the events of a failed attempt
    for (auto& e : emitted_) call.run.cells.discard(e.cell);
    emitted_.clear();
}
void Attempts::fail(StepCall& call, std::exception_ptr error, Clock::Time began) {
    RunCore& run = call.run;
    if (run.state.tokens[call.token].dropped) return drop_observed(call);
    release_emitted(call);
    observe_end(call, error);
    if (run.state.tokens[call.token].dropped) return drop(call);
    if (run.state.status == RunStatus::running && (try_again(call, error, began) || rescue(call, error, began))) return;
    give_up(run, call.token, error);
}
void Attempts::give_up(RunCore& run, Handle token, const std::exception_ptr& error) {
    std::optional<Emitted> event;  // for the undo step
    if (run.state.status == RunStatus::running && run.state.ending == EndingPhase::not_begun) {
        auto& x = run.more();
        x.error = error;
        x.attempts = run.state.tokens[token].attempts + 1u;
        event = put_ending(run, RunStatus::failed, run.state.tokens[token].step);
    } else if (run.state.status == RunStatus::running) note_undo_failure(run, error);
    if (run.extras && run.extras->track) run.extras->track->extra.error = error;
    release_input(run, token);
    take(run, {.kind = Tick::failed, .token = token, .events = list_of(event)}, nullptr);
    begin_undoing(run, event);
}
void Attempts::delay(RunCore& run, Handle token, Clock::Time due) {
    auto* r = new RunExtras::RetryTimer;
    r->ring = [](Timer& t) {
        auto& retry = static_cast<RunExtras::RetryTimer&>(t);
        Attempts& attempts = retry.run->loop.load()->attempts();
        if (retry.run->state.tokens[retry.token].dropped) return attempts.drop_delayed(*retry.run, retry.token);
        const std::unique_ptr<RunExtras::RetryTimer> self(&retry);
        self->unlink();
        if (!self->run->extras->branches.empty()) self->run->extras->branch(self->token).retry = nullptr;
        attempts.take(*self->run, {.kind = Tick::due, .token = self->token}, nullptr);
    };
    r->run = &run;
    r->token = token;
    r->link(run.extras->retries);
    if (run.definition->cancels_branches()) run.extras->branch(token).retry = r;
    loop_.timers().set(*r, due);
}
bool Attempts::try_again(StepCall& call, const std::exception_ptr& error, Clock::Time began) {
    RunCore& run = call.run;
    const Retry& retry = run.definition->steps[call.step].policy.retry;
    const unsigned made = run.state.tokens[call.token].attempts + 1u;
    if (made >= retry.attempts) return false;
    bool wanted = true;
    try {
        if (retry.when) wanted = retry.when(error);
    } catch (...) { wanted = false; }
    if (!wanted) return false;
    auto& x = run.more();
    const auto first = x.first_began(call.token, began);
    const auto wait = retry.wait.before_retry(made, random(run, call.step, made));
    const auto due = loop_.runtime().clock->after(wait);
    if (retry.elapsed.count() && due - first > retry.elapsed) return false;
    if (!x.began) x.began = std::make_unique<RunExtras::FirstAttempts>();
    (*x.began)[call.token] = first;
    if (x.watch) x.watch->retried(call, seen_of(call), error, wait);
    if (x.track) keeper_->note_retry(*x.track, error, due, first);
    delay(run, call.token, due);
    take(run, {.kind = Tick::failed, .retry = true, .token = call.token}, nullptr);
    return true;
}
bool Attempts::rescue(StepCall& call, const std::exception_ptr& error, Clock::Time began) {
    RunCore& run = call.run;
    if (handler_of(run.definition->plan, run.state, call.token) == no_step) return false;
    const Token& token = run.state.tokens[call.token];
    const StepType& type = run.definition->steps[call.step];
    const auto first = run.extras ? run.extras->first_began(call.token, began) : began;
    const std::chrono::duration<double> elapsed = loop_.runtime().clock->now() - first;
    const Handle input = call.input ? token.cell : token.items == none ? none : run.state.tokens[token.items].cell;
    const auto event = input == none ? std::string_view() : run.definition->events[run.cells[input].type].name;
    Emitted e{};
    try {
        e = type.put_failure(call, {.step = std::string(type.name),
                                    .input = std::string(event),
                                    .error = sentence_of(error),
                                    .code = std::string(name(code_of(error))),
                                    .attempts = token.attempts + 1u,
                                    .elapsed = elapsed.count(),
                                    .cause = error});
    } catch (...) { return false; }  // the copy of the input threw: the run fails by the first error
    const Tick tick{.kind = Tick::failed, .token = call.token, .events = {&e, 1}};
    if (keeper_) keeper_->prepare(run, tick, nullptr);
    release_input(call);
    take(run, tick, nullptr);
    return true;
}

// --- branches that a quorum does not need ---
void Attempts::drop(StepCall& call) {  // the invocation has ended or will not begin; without its events
    release_emitted(call);
    release_input(call);
    take(call.run, {.kind = Tick::dropped, .token = call.token}, nullptr);
}
void Attempts::drop_observed(StepCall& call) {
    release_emitted(call);
    observe_end(call, std::make_exception_ptr(Error(Code::cancelled, "the branch is not needed any more")));
    drop(call);
}
void Attempts::cancel_branch(RunCore& run, Handle token) {
    if (run.state.status != RunStatus::running || !run.state.tokens[token].dropped) return;  // it has ended already
    const auto& branch = run.more().branch(token);
    if (branch.attempt) branch.attempt->cancel();
    else if (branch.retry) drop_delayed(run, token);
    else if (auto& waiting = run.extras->waiting_start; waiting && waiting->token == token) {
        if (waiting->start) run.cells.discard(waiting->start->cell);
        waiting.reset();
        release_input(run, token);
        take(run, {.kind = Tick::dropped, .token = token}, nullptr);
    }
}
void Attempts::drop_delayed(RunCore& run, Handle token) {
    const std::unique_ptr<RunExtras::RetryTimer> retry(std::exchange(run.extras->branch(token).retry, nullptr));
    loop_.timers().remove(*retry);
    retry->unlink();
    StepCall call(run, run.state.tokens[token].step, token, emitted_);
    release_input(call);
    take(run, {.kind = Tick::dropped, .token = token}, nullptr);
}
void Attempts::observe_end(StepCall& call, const std::exception_ptr& error) {
    if (call.run.extras && call.run.extras->watch) call.run.extras->watch->end(call, seen_of(call), error);
}
}
