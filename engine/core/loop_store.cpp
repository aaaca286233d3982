// Durable runs on their loop: each tick is written, handed to the store, and its commands wait for the store's answer.
#include "engine/core/check_fold.hpp"
#include "engine/core/handle.hpp"
#include "engine/core/lease.hpp"
#include "engine/core/loop.hpp"
#include "engine/core/record.hpp"
#include "engine/core/run_extras.hpp"
#include "engine/core/snapshot.hpp"
#include "engine/core/stored_plan.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/run_options.hpp"
#include <algorithm>

namespace weft::core {
using namespace storage;
namespace {
constexpr unsigned most_failures = 8;  // in a row: with the waits between them about 12 s
bool is_stored(const RunCore& run) {
    const auto* track = run.extras ? run.extras->track.get() : nullptr;
    return track && !track->log->lost && !track->log->ended;
}
/// Whether no other tick can come before the next one of the token that is at work: then what follows has the same
/// number after a crash, and with it ctx.key(), also if the tick was not stored.
bool is_alone(const RunCore& run) {
    return run.state.live <= 1 && run.extras->track->log->family.size() == 1 &&
           open_questions(run.definition->plan, run.state, 1).empty();
}
/// Whether the store is being asked what there is of the run: then nothing can be made of what comes.
bool is_unknown(const RunCore& run) {
    const auto* track = run.extras ? run.extras->track.get() : nullptr;
    if (!track || track->log->lost || run.state.cause != Cause::none) return false;
    const auto& log = *track->log;
    return track->loading || (track->begun && log.birth && !log.birth->start_key.empty());
}
Error journal_error_of(const std::exception_ptr& error) {
    return Error(Code::journal, "the store did not keep a tick of the run, which goes on from there when it is "
                                "resumed: " +
                                    sentence_of(error));
}
}
void Loop::take_recorded(RunCore& run, const Tick& tick, Slots* edits) {
    if (is_unknown(run) && tick.cause != Cause::failed) {
        run.extras->track->late.push_back(
            {tick.events.empty() ? Emitted{} : tick.events.front(), tick.question, tick.cause});
        return;
    }
    if (is_stored(run) && run.state.cause == Cause::none) return take_stored(run, tick, edits);
    const bool counted = run.extras && run.extras->track;
    if (counted) run.extras->track->prepared = {};
    if (edits && run.state.cause == Cause::none) run.slots.commit(*edits);
    if (!run.commands) lend_commands(run);
    const auto before = run.commands->size();
    reduce(run.definition->plan, run.state, tick, *run.commands);
    if (counted) run.extras->track->pushed += run.commands->size() - before;
    if (counted) run.asked = run.state.asked;  // a question that is not stored is not told
    else if (run.asked != run.state.asked) tell_questions(run);
}
void Loop::take_late(RunCore& run) {
    for (auto& late : std::exchange(run.extras->track->late, {}))
        if (late.cause != Cause::none) run.end_by(late.cause);
        else
            take_recorded(run, {.kind = Tick::arrived, .events = {&late.event, 1}, .question = late.question}, nullptr);
    auto& log = *run.extras->track->log;
    for (auto& wish : log.wishes) wish.before = std::min(wish.before, log.next());
    log.tell_stored();
}
std::string Loop::record(RunCore& run, const Tick& tick, const Slots* edits) {
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
            record.deadline = now + std::int64_t(timeout.count());
        }
    }
    auto line = journal::write_record(record);  // before anything changes, as text may be none of JSON's
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
void Loop::prepare(RunCore& run, const Tick& tick, const Slots* edits) {
    if (is_stored(run) && run.state.cause == Cause::none)
        run.extras->track->prepared = {tick.kind, tick.token, record(run, tick, edits)};
}
void Loop::prepare_finished(Call& call, const Slots* edits) {
    prepare(call.run, {.kind = Tick::finished, .fan_out = call.fan_out, .token = call.token, .events = emitted_},
            edits);
}
void Loop::take_stored(RunCore& run, const Tick& tick, Slots* edits) {
    Track& track = *run.extras->track;
    RunLog& log = *track.log;
    const auto mail = track.extra.mail;
    // An observer that is told of a step's end may answer or cancel: then another tick comes before the prepared one.
    const bool is_prepared = track.prepared.line && track.prepared.kind == tick.kind &&
                             track.prepared.token == tick.token;
    const bool is_answer = tick.kind == Tick::arrived && track.begun;
    std::string body;
    try {
        body = is_prepared ? *std::exchange(track.prepared, {}).line
                           : record(run, tick, track.begun ? edits : &run.slots);
    } catch (const Error&) {  // of an answer that JSON cannot hold: its question stays open
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
    if (!run.commands) lend_commands(run);
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
    std::optional<Left> left;
    if (run.state.cause != Cause::none && track.path.empty())
        left = Left{.status = status_of(run.state.cause), .wake_at = {}, .outcome = outcome_of(run)};
    if constexpr (checks_folds) check_fold(run, log.next(), body, tick);
    auto snapshot = take_snapshot(run, body);
    const auto seq = log.append(std::move(body), mail.empty() ? std::vector<std::string>() : std::vector{mail},
                                std::move(left), {}, std::move(snapshot));
    if (waits) log.required = seq + 1;
    track.pushed += run.commands ? run.commands->size() - before : 0;
    track.marks.push_back({track.pushed, log.required});
    hold_back(run, before);
    end_at_limit(log);
    tell_held(log);
}
void Loop::end_at_limit(RunLog& log) {
    if (log.next() + 1 < most_ticks || log.lost) return;  // its end is a tick, too
    fail_run(log.root,
             std::make_exception_ptr(Error(
                 Code::journal, "run " + log.id + " has made " + std::to_string(most_ticks) +
                                    " ticks, and a stored run has no more: let its steps do more at once, or start "
                                    "further runs for parts of the work")));
}
bool Loop::waits_for_store(RunCore& run, bool begins_a_step) const {
    auto* track = run.extras ? run.extras->track.get() : nullptr;
    if (!track) return false;
    const bool no_step = (drained_ && !track->log->lost) || (run.extras->held && run.state.cause == Cause::none);
    const bool is_held = (no_step && begins_a_step) || is_in_doubt(*track->log);
    if ((track->parked = track->waits() || is_held)) return true;
    ++track->done;
    return false;
}

// --- answers of the store ---
void Loop::store_answered(RunLog& log, const std::exception_ptr& error, bool fenced) {
    --log.under_way;
    if (log.lost || closing_) return;
    if (!log.failure) {
        if (fenced && log.ended && log.unstored.front().ticks.empty()) {  // it has ended: nobody asks what it waits for
            log.unstored.pop_front();
            return;
        }
        if (fenced)
            return lose(log, std::make_exception_ptr(Error(Code::journal, "another process has taken it over")));
        if (error && code_of(error) != Code::journal) return lose(log, error);
        if (error) log.failure = error;
        else {
            const auto& done = log.unstored.front();
            log.stored += done.ticks.size();
            log.unstored.pop_front();
            log.failures = 0;
            log.tell_stored();
            if (const auto birth = std::exchange(log.birth, nullptr)) {
                if (birth->owner.empty()) return leave_detached(log);
                take_late(log.root);
            }
        }
    }
    if (!log.failure) return go_on(log);
    if (log.under_way > 0) return;
    if (log.has_only_notes()) return log.drop_notes();  // the next one says more
    if (++log.failures > most_failures) return lose(log, log.failure);
    log.resend.log = &log;
    log.resend.ring = [](Timer& t) { static_cast<RunLog::Resend&>(t).log->send_again(); };
    timers_.set(log.resend, runtime_.clock->after(std::chrono::milliseconds(50) * (1 << (log.failures - 1))));
}
void Loop::go_on(RunLog& log) {
    tell_held(log);
    for (auto* run : log.family) {
        Track& track = *run->extras->track;
        if (track.waiters) wake(*run);
        if (track.parked && !track.waits()) {
            track.parked = false;
            make_ready(*run);
        }
    }
    if (drained_) schedule();
}
// What has not been told yet is not going to be: a stop event whose tick was lost is no result.
void Loop::lose(RunLog& log, const std::exception_ptr& error) {
    refuse(log, std::make_exception_ptr(code_of(error) == Code::journal ? journal_error_of(error)
                                                                        : Error(code_of(error), sentence_of(error))));
}
void Loop::refuse(RunLog& log, const std::exception_ptr& error) {
    log.lost = log.is_refused = true;
    tell_rest(log);
    log.unstored.clear();
    log.tell_all(error);
    log.is_left_behind = log.is_left_behind || log.failure || code_of(error) != Code::cancelled;
    timers_.remove(log.resend);
    for (auto* run : std::vector<RunCore*>(log.family)) {
        auto& x = *run->extras;
        if (run->state.cause != Cause::none && !run->ended) {
            x.error = error;
            run->state.cause = Cause::failed;
            run->state.culprit = no_step;
        } else fail_run(*run, error);
        if (x.track->waiters) wake(*run);
        if (std::exchange(x.track->parked, false)) make_ready(*run);
    }
}

void Loop::leave_detached(RunLog& log) {
    log.is_detached = true;
    log.tell_all(nullptr);
    lose(log, std::make_exception_ptr(
                  Error(Code::cancelled, "the run is in its store, and begins when a worker claims it")));
}
void Loop::leave(RunCore& run) {
    RunLog& log = *run.extras->track->log;
    log.leave();
    lose(log, std::make_exception_ptr(Error(Code::cancelled, "the run has left memory: it stays in its store, and goes "
                                                             "on when it is resumed")));
}

// --- runs that wait outside of memory ---
std::optional<std::int64_t> Loop::wake_time(const RunCore& run) const {
    std::optional<Clock::Time> first;
    if (run.extras->deadline.is_set()) first = run.extras->deadline.at;
    for (auto* r = run.extras->retries; r; r = r->next) first = first ? std::min(*first, r->at) : r->at;
    if (!first) return {};
    const auto wait = std::chrono::ceil<std::chrono::microseconds>(*first - runtime_.clock->now());
    return wall_us(run) + wait.count();
}
void Loop::park_idle() {
    for (auto* run = runs_; run;) {
        auto* next = run->next;
        if (run->extras && run->extras->track && run->extras->track->path.empty()) park(*run);
        run = next;
    }
}
bool Loop::park(RunCore& run) {
    auto& x = *run.extras;
    auto& log = *x.track->log;
    const bool rests = run.idle() && !run.attempts && log.under_way == 0 && log.unstored.empty() && !log.lost &&
                       !log.birth;
    if (!rests) return false;
    {
        // Whoever looks for it by its id either has it by now, or finds it in the store, where it has been left.
        std::lock_guard lock(ids_->mutex);
        if (!run.owners.only_one()) return false;
        log.park(wake_time(run));
        ids_->taken.erase(x.id);
        x.ids = nullptr;
    }
    run.stir();
    if (x.watch) x.watch->tell([&](Observer& o) { o.run_parked(x.watch->run()); });
    x.watch.reset();  // it has not ended
    timers_.remove(x.deadline);
    while (auto* r = x.retries) {
        timers_.remove(*r);
        r->unlink();
        delete r;
    }
    retire(run);
    return true;
}

// --- how a log comes and goes ---
std::string Loop::id_of(const Definition& definition, const RunOptions& options) const {
    if (!options.id.empty() && !options.key.empty())
        throw Error(Code::usage, "a run was given the id '" + options.id + "' and the key '" + options.key +
                                     "': give it one of them, as its id is made of its key");
    if (options.key.empty()) return options.id;
    if (options.key.size() > 200)
        throw Error(Code::usage,
                    "a run was given a key of " + std::to_string(options.key.size()) + " bytes: it has at most 200");
    return std::string(definition.name) + ":" + options.key;
}
void Loop::begin_log(RunCore& run, const RunOptions& options) {
    auto& x = *run.extras;
    x.track = std::make_unique<Track>();
    x.track->log = std::make_shared<RunLog>(*store_, run, run.id(), ids_, snapshot_every_);
    RunLog& log = *x.track->log;
    NewRun birth;
    birth.id = log.id;
    birth.start_key = options.key;
    birth.plan = {run.definition->durable->hash, std::string(run.definition->name), run.definition->durable->plan};
    birth.options = options.stored;
    birth.forked_from = options.forked_from;
    if (!options.queue.empty()) birth.queue = options.queue;
    birth.priority = options.priority;
    const auto term = lease_->term();
    log.term = term.number;
    if (!options.detached) birth.owner = term.owner;
    log.birth = std::make_unique<NewRun>(std::move(birth));
    x.track->renames = options.renames;
}
void Loop::share_log(RunCore& child, RunCore& parent, std::string path) {
    auto& x = child.more();
    x.track = std::make_unique<Track>();
    x.track->log = parent.extras->track->log;
    x.track->path = std::move(path);
    x.track->renames = parent.extras->track->renames;
    x.track->log->family.push_back(&child);
}
void Loop::leave_log(RunCore& run) {
    RunLog& log = *run.extras->track->log;
    std::erase(log.family, &run);
    std::erase_if(log.held, [&](auto& held) { return held.run == &run; });
    if (&log.root != &run) return;
    timers_.remove(log.resend);
    log.leave();
    log.tell_all(std::make_exception_ptr(
        Error(Code::cancelled, "the run has left memory before all that was sent to it was stored")));
}
void Loop::when_stored(RunCore& run, std::function<void(const std::exception_ptr&)> tell) {
    auto* track = run.extras ? run.extras->track.get() : nullptr;
    auto* root = track && track->log ? track->log->root.extras->track.get() : nullptr;
    if (!root || root->log->is_detached) return tell(nullptr);  // nothing of it is stored, or all
    if (root->log->is_refused || (root->log->lost && !root->log->ended)) {
        const auto error = run.extras->error;
        return tell(error ? error : std::make_exception_ptr(Error(Code::cancelled, "the run has left memory")));
    }
    // As long as it is not known what there is of the run, what has come waits to be taken.
    root->log->wishes.push_back({is_unknown(root->log->root) ? ~std::uint64_t{0} : root->log->next(), std::move(tell)});
    root->log->tell_stored();
}
}
