// Writes each tick of a durable run and sends it to the store. The tick's commands wait for the store's answer.
#include "engine/core/keeper.hpp"
#include "engine/core/check_fold.hpp"
#include "engine/core/lease.hpp"
#include "engine/core/loop/diagnosis.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/loop/undoing.hpp"
#include "engine/core/mail.hpp"
#include "engine/core/record.hpp"
#include "engine/core/resume.hpp"
#include "engine/core/snapshot.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/retry.hpp"
#include "engine/run_options.hpp"
#include <algorithm>

namespace weft::core {
using namespace storage;
using durability::Input;
using durability::Reason;
namespace {
constexpr Wait resend_pause{std::chrono::milliseconds(50), std::chrono::seconds(10), 2};
/// Whether only the token at work can cause the next tick. Then later invocations have the same numbers after a crash,
/// and so the same ctx.key(), even if this tick was not stored.
bool is_alone(const RunCore& run) {
    return run.state.live <= 1 && run.extras->track->log->family.size() == 1 &&
           open_questions(run.definition->plan, run.state, 1).empty();
}
Error lease_is_over(const Lease& lease) {
    const auto why = lease.refusal();
    return Error(Code::journal, "the store has not answered for " + in_seconds(lease.length()) +
                                    (why.empty() ? "" : " (" + why + ")") +
                                    ", so the lease of this process has expired, and another process may execute the "
                                    "run: the run continues there, or when it is resumed");
}
Error journal_error_of(const std::exception_ptr& error) {
    return Error(Code::journal, "the store did not keep a tick of the run, which continues from there when it is "
                                "resumed: " +
                                    sentence_of(error));
}
/// The reason why the runs of the log leave memory.
std::exception_ptr error_of(const RunLog& log, const std::exception_ptr& error) {
    const auto make = [](Error e) { return std::make_exception_ptr(std::move(e)); };
    switch (log.state.reason) {
    case Reason::given_back:
        return make(Error(Code::cancelled, "the run has left memory: it stays in its store, and continues when it is "
                                           "resumed"));
    case Reason::detached:
        return make(Error(Code::cancelled, "the run is in its store, and begins when a worker claims it"));
    case Reason::taken_over:
        return make(journal_error_of(make(Error(Code::journal, "another process has taken over the run"))));
    case Reason::unstored:
        return make(code_of(error) == Code::journal ? journal_error_of(error)
                                                    : Error(code_of(error), sentence_of(error)));
    case Reason::lapsed:
    case Reason::in_doubt: return make(lease_is_over(log.lease()));
    default: return error;
    }
}
std::string write_tick(RunCore& run, const Tick& tick, const Slots* edits) {
    Track& track = *run.extras->track;
    auto& plans = track.log->plans;
    const auto& form = *run.definition->durable;
    const auto now = wall_us(run);
    auto record = record_tick(run, tick, edits, now);
    const bool is_first = !track.begun;
    if (is_first) {
        record.hash = form.hash;
        const bool is_known = form.hash == track.log->root.definition->durable->hash;  // stored with the root
        if (!is_known && !plans.contains(form.hash)) record.plan = form.plan;
        if (track.path.empty()) record.values.text = run.extras->values;
        if (run.extras->has_timeout) {
            const auto timeout = std::chrono::ceil<std::chrono::microseconds>(run.extras->timeout);
            record.timeout = std::chrono::duration<double>(run.extras->timeout).count();
            const auto& birth = track.log->birth;
            const auto begin = track.path.empty() && birth ? std::max(now, birth->not_before.value_or(now)) : now;
            record.deadline = track.kept.deadline.value_or(begin + std::int64_t(timeout.count()));
        }
        record.asked_before = run.state.asked;
    }
    if (begins_ending(*run.definition, tick)) {
        record.timeout = track.kept.timeout;
        record.deadline = now + std::chrono::ceil<std::chrono::microseconds>(undo_limit(run)).count();
    }
    auto line = journal::write_record(record);  // before any change: it throws for text that JSON cannot hold
    track.begun = true;
    if (!record.plan.empty()) plans.emplace(form.hash, form.plan);
    if (!record.values.text.empty()) track.kept.values = record.values.text;
    if (record.deadline) {
        track.kept.timeout = *record.timeout;
        track.kept.deadline = record.deadline;
    }
    if (tick.retry) track.kept.delays[tick.token] = {*track.extra.due, *track.extra.first, *track.extra.due - now};
    track.extra = {};
    return line;
}
}
void Keeper::take(RunCore& run, const Tick& tick, Slots* edits) {
    auto* track = run.extras ? run.extras->track.get() : nullptr;
    using durability::DurableCommand;
    auto command = DurableCommand::pass;
    if (track && run.state.status == RunStatus::running)
        command =
            decide(track->log->state, {tick.status == RunStatus::failed ? Input::failure : Input::arrival}).only();
    if (command == DurableCommand::record) return take_stored(run, tick, edits);
    if (command == DurableCommand::postpone) {
        if (tick.kind == Tick::ended && !tick.events.empty())
            run.cells.discard(tick.events.front().cell);  // made again
        track->late.push_back({tick.kind == Tick::ended ? Emitted{} : tick.events.front(), tick.question, tick.status});
        if (tick.status == RunStatus::cancelled) cancel_delayed(run);
        return;
    }
    if (track) track->prepared = {};
    if (edits && run.state.status == RunStatus::running) run.slots.commit(*edits);
    if (!run.commands) loop_.lend_commands(run);
    const auto before = run.commands->size();
    reduce(run.definition->plan, run.state, tick, *run.commands);
    if (track) track->pushed += run.commands->size() - before;
    if (track) run.asked = run.state.asked;  // readers get a question only when it is stored
    else if (run.asked != run.state.asked) run.tell_questions();
}
void Keeper::begin_again(RunCore& run, const Emitted& start) {
    Track& track = *run.extras->track;
    Track empty;
    empty.log = track.log;
    empty.renames = std::move(track.renames);
    empty.waiters = track.waiters;
    empty.parked = track.parked;
    empty.kept.deadline = track.kept.deadline;
    empty.kept.timeout = track.kept.timeout;
    track = std::move(empty);
    RunLog& log = *track.log;
    log.begin_again();
    take(run, {.kind = Tick::arrived, .events = {&start, 1}}, nullptr);
    PublishedBox event(new Published::Of<RunBegunAgainEvent>(RunBegunAgainEvent()));
    log.held.push_back({.run = &run, .event = std::move(event), .need = log.required});
    log.tell_held();
}
void Keeper::take_late(RunCore& run) {
    for (auto& late : std::exchange(run.extras->track->late, {}))
        if (late.status != RunStatus::running) {
            if (run.state.ending == EndingPhase::not_begun) run.end_by(late.status);
        } else take(run, {.kind = Tick::arrived, .events = {&late.event, 1}, .question = late.question}, nullptr);
    auto& log = *run.extras->track->log;
    for (auto& callback : log.callbacks) callback.before = std::min(callback.before, log.next());
    log.tell_stored();
}
void Keeper::prepare(RunCore& run, const Tick& tick, const Slots* edits) {
    auto* track = run.extras ? run.extras->track.get() : nullptr;
    if (track && run.state.status == RunStatus::running && is_recorded(track->log->state))
        track->prepared = {tick.kind, tick.token, write_tick(run, tick, edits)};
}
void Keeper::prepare_finished(StepCall& call, const Slots* edits) {
    prepare(call.run, {.kind = Tick::finished, .fan_out = call.fan_out, .token = call.token, .events = call.emitted},
            edits);
}
void Keeper::note_retry(Track& track, const std::exception_ptr& error, Clock::Time due, Clock::Time first) const {
    const auto now = loop_.runtime().clock->now();
    const auto wall = wall_us(track.log->root);
    const auto us = [&](Clock::Time at) {
        return wall + std::chrono::floor<std::chrono::microseconds>(at - now).count();
    };
    track.extra.error = error;
    track.extra.due = us(due);
    track.extra.first = us(first);
}
void Keeper::take_stored(RunCore& run, const Tick& tick, Slots* edits) {
    Track& track = *run.extras->track;
    RunLog& log = *track.log;
    const auto mail = track.extra.mail;
    // An observer of the step's end may answer or cancel, so another tick can precede the prepared one.
    const bool is_prepared = track.prepared.line && track.prepared.kind == tick.kind &&
                             track.prepared.token == tick.token;
    const bool is_answer = tick.kind == Tick::arrived && track.begun;
    std::string body;
    try {
        body = is_prepared ? *std::exchange(track.prepared, {}).line
                           : write_tick(run, tick, track.begun ? edits : &run.slots);
    } catch (const Error&) {  // JSON cannot hold the answer: its question stays open
        if (!is_answer) throw;
        track.extra = {};
        report_unhandled(run, run.definition->events[tick.events.front().type].name);
        return run.cells.discard(tick.events.front().cell);
    }
    const bool repeatable = tick.kind == Tick::finished &&
                            run.definition->steps[run.state.tokens[tick.token].step].policy.repeatable;
    if (edits) run.slots.commit(*edits);
    if (tick.token != none) track.notes.erase(tick.token), track.failures.erase(tick.token);
    if (tick.token != none && ends_invocation(tick)) track.effects.erase(tick.token);
    if (!run.commands) loop_.lend_commands(run);
    const auto before = run.commands->size();
    const bool waits = !repeatable || !is_alone(run);
    note_before(run, tick, repeatable);
    reduce(run.definition->plan, run.state, tick, *run.commands);
    std::vector<journal::QuestionRecord> asked;
    for (auto i = before; i < run.commands->size(); ++i) {
        const Command& c = (*run.commands)[i];
        if (c.kind == Command::publish)
            asked.push_back({std::uint64_t(question_id(c.token, c.serial)),
                             std::string(run.definition->events[run.cells[c.cell].type].name)});
        if (c.kind == Command::invoke && run.state.tokens[c.token].attempts == 0) {
            track.invocation(c.token) = {.born = log.next()};
            track.effects.erase(c.token);
        }
    }
    note_after(run, before);
    body = journal::with_questions(std::move(body), asked);
    std::optional<RunRelease> left;
    if (run.state.status != RunStatus::running && track.path.empty())
        left = RunRelease{.status = run.state.status, .wake_at = {}, .outcome = outcome_of(run)};
    if constexpr (checks_folds) check_fold(run, log.next(), body, tick);
    auto snapshot = take_snapshot(run, body);
    const auto seq = log.append(std::move(body), mail.empty() ? std::vector<std::string>() : std::vector{mail},
                                std::move(left), {}, std::move(snapshot));
    if (waits) log.required = seq + 1;
    track.pushed += run.commands ? run.commands->size() - before : 0;
    track.marks.push_back({track.pushed, log.required});
    log.hold_back(run, before);
    log.end_at_limit();
    log.tell_held();
}
bool Keeper::waits_for_store(RunCore& run, bool begins_a_step) const {
    auto* track = run.extras ? run.extras->track.get() : nullptr;
    if (!track) return false;
    const auto& log = *track->log;
    const bool runs = run.state.status == RunStatus::running;  // else its commands only end it
    const bool has_turn = !drained_ && !(run.extras->held && runs);
    const durability::WorkRequest asked{!track->waits(), begins_a_step && runs, has_turn, !is_in_doubt(log)};
    if ((track->parked = !durability::may_begin(log.state, asked))) return true;
    ++track->done;
    return false;
}

// --- decisions of the machine, and their execution ---
durability::DurableCommands Keeper::apply(RunLog& log, Input input, const std::exception_ptr& error) {
    const auto keep = log.shared_from_this();
    const auto commands = decide(log.state, input);
    for (const auto command : commands) carry_out(log, command, error);
    return commands;
}
void Keeper::carry_out(RunLog& log, durability::DurableCommand command, const std::exception_ptr& error) {
    using durability::DurableCommand;
    switch (command) {
    case DurableCommand::note: return log.note();
    case DurableCommand::send: return log.send(log.unstored.back());
    case DurableCommand::send_all: return log.send_all();
    case DurableCommand::drop_oldest: return log.drop_oldest();
    case DurableCommand::drop_notes: return log.unstored.clear();
    case DurableCommand::pause:
        log.resend.log = &log;
        log.resend.ring = [](Timer& t) {
            auto& of = *static_cast<RunLog::ResendTimer&>(t).log;
            of.root.loop.load()->keeper().apply(of, {Input::pause_over});
        };
        return loop_.timers().set(log.resend,
                                  loop_.runtime().clock->after(resend_pause.before_retry(log.state.failures)));
    case DurableCommand::take_postponed: return take_late(log.root);
    case DurableCommand::tell: log.tell_stored(); return go_on(log);
    case DurableCommand::start_over: return start_over(log.root);
    case DurableCommand::claim: return claim_run(log.root);
    case DurableCommand::load: return load_run(log.root);
    case DurableCommand::give_back: return log.give_back(log.next());
    case DurableCommand::give_back_claim: return log.give_back(log.claimed_next);
    case DurableCommand::park: return log.park();
    case DurableCommand::leave_or_park: return leave_or_park(log.root);
    case DurableCommand::refuse: return refuse(log, error_of(log, error));
    default: return;  // the caller of apply() executes it
    }
}
void Keeper::store_answered(RunLog& log, const std::exception_ptr& error, bool fenced) {
    if (loop_.is_closing()) return;
    const bool is_new = log.state.delivery == durability::Delivery::flowing;
    const auto kind = fenced                            ? Input::fenced
                      : !error                          ? Input::stored
                      : code_of(error) == Code::journal ? Input::failed
                                                        : Input::refused;
    if (is_new) log.failure = error;
    apply(log, {kind, log.oldest()}, log.failure);
}
void Keeper::go_on(RunLog& log) {
    log.tell_held();
    for (auto* run : log.family) {
        Track& track = *run->extras->track;
        if (track.waiters) loop_.wake(*run);
        if (track.parked && !track.waits()) {
            track.parked = false;
            loop_.make_ready(*run);
        }
    }
    if (drained_) loop_.schedule();
}
// Readers do not get the rest of the stream: a stop event whose tick was lost is no result.
void Keeper::refuse(RunLog& log, const std::exception_ptr& error) {
    log.tell_rest();
    log.unstored.clear();
    log.tell_all(log.state.reason == Reason::detached ? nullptr : error);
    loop_.timers().remove(log.resend);
    for (auto* run : std::vector<RunCore*>(log.family)) {
        auto& x = *run->extras;
        if (run->state.status != RunStatus::running && !run->ended) {
            x.error = error;
            run->state.status = RunStatus::failed;
            run->state.culprit = no_step;
        } else loop_.fail_run(*run, error);
        if (x.track->waiters) loop_.wake(*run);
        if (std::exchange(x.track->parked, false)) loop_.make_ready(*run);
    }
}
void Keeper::note_idle(RunCore& run) {
    if (!run.extras->track->path.empty()) return;
    refuse_kept_mail(run);
    auto& log = *run.extras->track->log;
    if (!log.state.says_idle && !what_is_awaited(run).empty()) apply(log, {Input::idle});
}

// --- the beginning and the end of a log ---
std::string stored_id(const Definition& definition, const RunOptions& options) {
    if (!options.id.empty() && !options.key.empty())
        throw Error(Code::usage, "a run was given the id '" + options.id + "' and the key '" + options.key +
                                     "': give it only one, because the key makes the id");
    if (options.id.size() > 500)
        throw Error(Code::usage,
                    "a run was given an id of " + std::to_string(options.id.size()) + " bytes: an id has at most 500");
    if (options.key.empty()) return options.id;
    if (options.key.size() > 200)
        throw Error(Code::usage,
                    "a run was given a key of " + std::to_string(options.key.size()) + " bytes: a key has at most 200");
    return std::string(definition.name) + ":" + options.key;
}
void Keeper::begin_log(RunCore& run, const RunOptions& options) {
    auto& x = *run.extras;
    x.track = std::make_unique<Track>();
    const auto& shard = shards_.size() == 1 ? shards_.front() : shards_.at(store_->shard_of(run.id()));
    x.track->log = std::make_shared<RunLog>(shard, run, run.id(), snapshot_every_);
    RunLog& log = *x.track->log;
    NewRun birth;
    birth.id = log.id;
    birth.start_key = options.key;
    birth.plan = {run.definition->durable->hash, std::string(run.definition->name), run.definition->durable->plan};
    birth.options = options.stored;
    birth.forked_from = options.forked_from;
    if (!options.queue.empty()) birth.queue = options.queue;
    birth.priority = options.priority;
    const auto holder = log.lease().holder();
    log.lease_number = holder.number;
    if (options.not_before) {
        const auto begin = options.not_before->time_since_epoch().count(), now = wall_us(run);
        if (begin > now || !options.debounce.empty()) birth.not_before = std::max(begin, now);
    }
    birth.debounce = options.debounce;
    if (options.debounce_longest) birth.longest = options.debounce_longest->count();
    if (!options.detached && !birth.not_before) birth.owner = holder.owner;
    log.state.is_detached = options.detached;
    log.is_looked_for = may_be_elsewhere(log.id) && !(options.key.empty() && options.id.empty());
    // Begins by a claim, as a known key does.
    log.state.is_keyed = !options.key.empty() || birth.not_before || log.is_looked_for;
    log.birth = std::make_unique<NewRun>(std::move(birth));
    x.track->renames = options.renames;
}
void Keeper::leave_log(RunCore& run) {
    RunLog& log = *run.extras->track->log;
    std::erase(log.family, &run);
    std::erase_if(log.held, [&](auto& held) { return held.run == &run; });
    if (&log.root != &run) return;
    loop_.timers().remove(log.resend);
    apply(log, {Input::destroy});
    log.tell_all(std::make_exception_ptr(
        Error(Code::cancelled, "the run has left memory before the store had all of its input")));
}
void Keeper::when_stored(RunCore& run, std::function<void(const std::exception_ptr&)> tell) {
    auto* track = run.extras ? run.extras->track.get() : nullptr;
    auto* root = track && track->log ? track->log->root.extras->track.get() : nullptr;
    if (!root || root->log->state.reason == Reason::detached) return tell(nullptr);  // not durable, or all stored
    if (is_over(root->log->state)) {
        const auto error = run.extras->error;
        return tell(error ? error : std::make_exception_ptr(Error(Code::cancelled, "the run has left memory")));
    }
    // While the stored state of the run is unknown, input has no tick yet; take_late() sets its number.
    auto& log = *root->log;
    if (log.is_delayed && is_unknown(log.state) && root->late.empty()) return tell(nullptr);
    const bool is_unknown = log.root.state.status == RunStatus::running && durability::is_unknown(log.state);
    log.callbacks.push_back({is_unknown ? ~std::uint64_t{0} : log.next(), std::move(tell)});
    log.tell_stored();
}
}
