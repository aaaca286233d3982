// Restores a run from the store: folds its ticks, reads its pending events, and begins the interrupted work again.
#include "engine/core/check_fold.hpp"
#include "engine/core/event_reader.hpp"
#include "engine/core/fold.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/undoing.hpp"
#include "engine/core/mail.hpp"
#include "engine/core/record.hpp"
#include "engine/core/resume.hpp"
#include "engine/core/slots_fold.hpp"
#include "engine/core/snapshot.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace weft::core {
using namespace storage;
using nlohmann::json;

namespace {
Duration time_limit(double seconds) {
    const std::chrono::duration<double> limit(seconds);
    return limit < Duration::max() ? std::chrono::round<Duration>(limit) : Duration::max();
}
/// Counts open branches only: a restored state does not know the settled ones.
Branches open_branches(const State& state) {
    Branches branches;
    for (Handle h : state.groups.used()) branches.open += state.groups[h].open;
    branches.begun = branches.open;
    return branches;
}
/// Puts a folded state into an empty run.
class Restorer {
public:
    Restorer(LoopCore& loop, RunCore& run, const History& history) : loop_(loop), run_(run), history_(history) {}

    /// Throws BadSnapshot if recovery needs all ticks.
    Fold fold() {
        try {
            return folded();
        } catch (const std::exception&) {
            if (from_snapshot()) throw BadSnapshot();
            throw;
        }
    }
    bool from_snapshot() const {
        return history_.snapshot && (history_.ticks.empty() || history_.ticks.front().seq >= history_.snapshot->upto);
    }
    /// The sum of the last tick.
    std::uint64_t sum() const { return history_.ticks.empty() ? sum_ : history_.ticks.back().sum; }
    NamedPlan plan_of(const std::string& hash) const {
        if (hash == run_.definition->durable->hash) return named_plan(*run_.definition);
        const auto& plans = run_.extras->track->log->plans;
        const auto found = plans.find(hash);
        if (found == plans.end()) throw MissingPlan{hash};
        return read_plan(found->second, hash);
    }
    const std::map<Handle, Handle>& cells() const { return cells_; }
    /// The hash of the plan after the last tick.
    const std::string& hash() const { return hash_; }
    /// Gives cells to pending events and to the result, and moves the state into the run.
    void put_events(const Fold& fold) {
        State state = fold.state();
        state.branches = open_branches(state);
        for (Handle h : state.tokens.used()) {
            Token& token = state.tokens[h];
            if (token.phase != TokenPhase::question && token.cell != none) token.cell = cell_of(fold, token.cell);
        }
        if (state.status == RunStatus::done) state.result = cell_of(fold, state.result);
        run_.state = std::move(state);  // last, because reading may throw: then the run must not seem to have ended
    }
    Handle cell_of(const Fold& fold, Handle event) {
        const auto [known, is_new] = cells_.try_emplace(event, none);
        if (!is_new) {
            ++run_.cells[known->second].uses;
            return known->second;
        }
        return known->second = StoredEventReader(loop_, run_, history_, fold).read(run_, event);
    }

private:
    Fold folded() {
        std::optional<Fold> fold;
        SlotsFold slots(*run_.definition, run_.slots);
        auto& log = *run_.extras->track->log;
        if (from_snapshot()) fold = read_start(slots);
        for (auto& tick : history_.ticks) {
            const auto entry = journal::read_entry(tick);
            const auto declared = journal::declaration_of(entry.record);
            if (!declared.plan.empty()) log.plans.emplace(declared.hash, declared.plan);
            const auto& path = journal::path_of(entry.record);
            if (path != run_.extras->track->path) {
                log.children[path].push_back(tick);
                continue;
            }
            if (!fold) {
                hash_ = declared.hash.empty() ? run_.definition->durable->hash : std::string(declared.hash);
                fold.emplace(plan_of(hash_));
            }
            if (const auto* carried = std::get_if<journal::CarriedRecord>(&entry.record)) {
                hash_ = carried->hash;
                fold->carry_to(plan_of(hash_), carried->renames.value_or(Renames()));
                continue;
            }
            fold->add(entry);
            slots.add(journal::edits_of(entry.record));
        }
        if (!fold) throw Error(Code::journal, "the store has no tick of the run");
        if (run_.extras->track->path.empty()) drop_ended_children(*fold);
        return *std::move(fold);
    }
    Fold read_start(SlotsFold& slots) {
        auto& log = *run_.extras->track->log;
        const auto& text = history_.snapshot->body;
        auto snapshot = std::make_shared<const journal::SnapshotRecord>(journal::read_snapshot(text));
        for (auto& [hash, plan] : snapshot->plans) log.plans.emplace(hash, plan);
        hash_ = snapshot->hash;
        sum_ = snapshot->sum;
        log.snapshot_at = history_.snapshot->upto;
        log.snapshot_bytes = text.size();
        slots.add({&snapshot->slots, nullptr});
        return fold_of(plan_of(hash_), std::move(snapshot));
    }
    void drop_ended_children(const Fold& fold) {  // children of attempts that have ended
        std::map<std::string, Handle> at_work;
        for (Handle h : fold.state().tokens.used())
            if (fold.state().tokens[h].phase == TokenPhase::running && h < fold.invocations.size())
                at_work[child_prefix(fold.invocations[h].born, h, fold.state().tokens[h].attempts + 1u)] = h;
        std::erase_if(run_.extras->track->log->children, [&](auto& child) {
            const auto end = child.first.rfind('.', child.first.find('/'));
            const auto of = at_work.find(child.first.substr(0, end + 1));
            if (of != at_work.end()) run_.extras->track->kept.recorded.insert(of->second);
            return of == at_work.end();
        });
    }
    LoopCore& loop_;
    RunCore& run_;
    const History& history_;
    std::string hash_;
    std::uint64_t sum_ = 0;
    std::map<Handle, Handle> cells_;  // cells by event
};
/// Maximum count of owners that may die during the same work of a run. After more, the work counts as the cause.
/// Restarts, outages and slow machines end owners too, so that six of them in a row prove nothing. RabbitMQ's quorum
/// queues deliver a message 20 times.
constexpr std::uint64_t most_takeovers = 19;
/// Empty for a run that only waits, which cannot have killed its process.
std::optional<StepIndex> step_at_work(const State& state) {
    for (Handle h : state.tokens.used())
        if (state.tokens[h].phase == TokenPhase::running) return state.tokens[h].step;
    return {};
}
/// Prevents that the step gets the result of another workflow's child.
void refuse_another_child(const RunCore& child, const std::string& before) {
    const auto& name = child.definition->name;
    if (name == before || name == present_name(before, child.extras->track->renames)) return;
    throw Error(Code::journal, "a restarted step runs " + std::string(name) + " where it has run " + before +
                                   ": do not change the program in between, and let no choice depend on chance or "
                                   "time. If " +
                                   before + " is called " + std::string(name) + " now, list it in RunOptions::renames");
}
/// The mail with the present name of its event: senders may use names of former declarations.
Mail renamed(const RunCore& run, const Fold& fold, Mail mail) {
    if (fold.renames().empty()) return mail;
    try {
        auto record = journal::read_mail(mail.body).value();
        if (!record.event || record.run.value_or("").get<std::string>() != run.extras->track->path) return mail;
        const auto question = record.question ? read_question(*record.question) : QuestionId::none;
        const auto& name = record.event->get_ref<const std::string&>();
        if (const auto type = answer_named(run, name, question, fold.renames())) {
            record.event = run.definition->events[*type].name;
            mail.body = journal::write_mail(record);
        }
    } catch (const std::exception&) {}  // not an answer: take_mail() refuses it
    return mail;
}
/// Keeps the data that the next snapshot needs.
void remember(Track& track, const Fold& fold, const std::map<Handle, Handle>& cells) {
    if (!track.path.empty()) return;
    auto& kept = track.kept;
    kept.delays = fold.delays;
    kept.deadline = fold.deadline;
    kept.timeout = fold.timeout;
    kept.prolongations = fold.prolongations;
    kept.values = fold.values;
    for (auto& [token, notes] : fold.notes) kept.recorded.insert(token);
    for (auto [event, cell] : cells)
        if (fold.repeat(fold.origin(event).seq)) kept.remade.insert(cell);
}
}

void start_over(RunCore& run) {
    auto& x = *run.extras;
    if (run.commands) {
        run.commands->clear();
        run.commands->done = 0;
    }
    std::set<Handle> begun;  // pending events; late ones stay in their cells
    for (Handle h : run.state.tokens.used())
        if (run.state.tokens[h].cell != none) begun.insert(run.state.tokens[h].cell);
    for (Handle cell : begun) run.cells.discard(cell);
    run.state = State(run.definition->plan);
    run.slots.clear();
    run.loop.load()->timers().remove(x.deadline);  // the stored deadline applies
    x.has_timeout = false;
    const auto before = std::move(x.track);
    x.track = std::make_unique<Track>();
    x.track->parked = before->parked;  // still waits for the store
    x.track->renames = before->renames;
    x.track->late = std::move(before->late);
    const auto& log = *before->log;
    x.track->log = std::make_shared<RunLog>(log.shard, run, log.id, log.snapshot_every);
    x.track->log->state = log.state;
    x.track->log->is_delayed = log.is_delayed;
    x.track->log->callbacks = std::move(before->log->callbacks);
    for (auto& callback : x.track->log->callbacks)
        callback.before = ~std::uint64_t{0};  // until the stored state is known
}
/// Gives the reason of its end to an ended or undoing run.
static void take_failure(RunCore& run, const Fold& fold) {
    auto& x = *run.extras;
    x.timeout = time_limit(fold.timeout);
    x.active_steps = fold.failure.active_steps;
    x.attempts = fold.failure.attempts;
    x.error = std::make_exception_ptr(Error(code_named(fold.failure.code), fold.failure.error));
    x.undo_error = fold.failure.undo_error;
}
static void put_back(RunCore& run, const History& history) {
    auto& x = *run.extras;
    Track& track = *x.track;
    RunLog& log = *track.log;
    LoopCore& loop = *run.loop.load();
    run.slots.clear();  // left by an earlier call that lacked a plan
    if (track.path.empty()) {
        if (history.run.workflow != run.definition->name)
            throw Error(Code::usage, "run " + log.id + " is a run of workflow " + history.run.workflow +
                                         ", and was resumed as a run of " + std::string(run.definition->name));
        log.children.clear();
        track.kept = {};
        log.snapshot_at = log.snapshot_bytes = log.bytes = 0;
    }
    Restorer restoring(loop, run, history);
    Fold fold = restoring.fold();
    if (track.path.empty()) {
        const auto first = restoring.from_snapshot() ? fold.first : history.ticks.front().seq;
        log.continue_at(first, history.run.next_seq, restoring.sum());
        for (auto& tick : history.ticks) log.bytes += tick.body.size();
    }
    const auto& form = *run.definition->durable;
    const bool is_changed = restoring.hash() != form.hash;
    const bool is_over = fold.state().status != RunStatus::running;
    const bool is_carried = is_changed && !is_over;
    if (is_changed && !track.path.empty()) refuse_another_child(run, fold.plan().workflow);
    if (is_changed) fold.carry_to(named_plan(*run.definition), track.renames);
    restoring.put_events(fold);
    if (x.progress) x.progress.emplace();
    if (track.path.empty())
        loop.keeper().apply(log, {is_over ? durability::Input::read_ended : durability::Input::restored});
    if (is_carried) {  // last, because the code above may refuse the run
        journal::CarriedRecord record{
            .at = wall_us(run), .hash = form.hash, .renames = track.renames, .run = track.path};
        const bool is_known = track.path.empty() || form.hash == log.root.definition->durable->hash;
        if (!is_known && log.plans.emplace(form.hash, form.plan).second) record.plan = form.plan;
        std::optional<StoredPlan> plan;
        if (track.path.empty()) plan = StoredPlan{form.hash, std::string(run.definition->name), form.plan};
        log.append(journal::write_record(record), {}, {}, std::move(plan));
        log.required = log.next();
    }
    if (const auto deadline = prolonged_deadline(run, fold, history)) {
        fold.deadline = deadline;
        ++fold.prolongations;
        log.append(journal::write_record(journal::ProlongedRecord{wall_us(run), track.path, deadline}), {}, {});
    }
    remember(track, fold, restoring.cells());
    if constexpr (checks_folds) track.check = check_from(fold, restoring.cells());
    track.begun = true;
    if (track.path.empty()) x.values = fold.values;  // resumption does not change them
    if (track.path.empty()) log.mail_known = history.run.mail - history.mail.size();
    track.invocations = fold.invocations;
    track.notes = fold.notes;
    track.effects = fold.effects;
    if (!run.commands) loop.lend_commands(run);
    run.stir();
    if (run.state.status != RunStatus::running) {
        take_failure(run, fold);
        run.state.culprit = step_named(*run.definition, fold.failure.step);
        if (track.path.empty() && !has_ended(history.run.status))
            log.finish({.status = run.state.status, .wake_at = {}, .outcome = outcome_of(run)});
        run.commands->push_back({Command::end});
        ++track.pushed;
        return;
    }
    const auto now = loop.runtime().clock->now();
    const auto wall = wall_us(run);
    // A clock that was set back must not lengthen a wait: callers take at most the whole wait from now.
    const auto time_of = [&](std::int64_t us) {
        return now + std::chrono::microseconds(
                         std::clamp<std::int64_t>(us - wall, -1'000'000'000'000'000, 1'000'000'000'000'000));
    };
    const bool is_undoing = run.state.ending != EndingPhase::not_begun;
    if (is_undoing) {
        take_failure(run, fold);
        const auto limit = loop.runtime().clock->after(undo_limit(run));  // of a fork, which has no deadline
        loop.timers().set(x.deadline, fold.deadline ? std::min(time_of(*fold.deadline), limit) : limit);
    } else if (fold.deadline && !x.deadline.is_set()) {
        x.has_timeout = true;
        x.timeout = time_limit(fold.timeout);
        loop.timers().set(x.deadline, std::min(time_of(*fold.deadline), loop.runtime().clock->after(x.timeout)));
    }
    if (const auto step = step_at_work(run.state); step && history.run.takeovers > most_takeovers)
        return loop.fail_run(
            run, std::make_exception_ptr(
                     Error(Code::journal, std::to_string(history.run.takeovers) +
                                              " processes ended or lost their lease during step " +
                                              std::string(run.definition->steps[*step].name) +
                                              ", and no step of the run finished: find the cause, correct it, and "
                                              "fork the run to continue it")));
    if (track.path.empty()) run.publish(new Published::Of<RunResumedEvent>({.ticks = history.run.next_seq}));
    const bool is_late = x.deadline.is_set() && x.deadline.at <= now;
    const bool undoes = run.definition->ending != no_type && !is_undoing;
    if (is_late && !undoes) return run.time_out();  // before any step begins again
    for (Handle h : open_questions(run.definition->plan, run.state, ~std::size_t{0})) {
        const Handle cell = restoring.cell_of(fold, fold.asked.at(h));
        const auto serial = run.state.tokens[h].items;
        run.commands->push_back({Command::publish, 0, h, cell, serial});
        log.held.push_back({.run = &run, .event = nullptr, .cell = cell, .question = question_id(h, serial)});
        if (track.path.empty()) track.kept.questions[h] = {serial, journal::write_event(record_event(run, cell))};
    }
    for (Handle h : run.state.tokens.used()) {
        const Token& token = run.state.tokens[h];
        if (token.phase == TokenPhase::running) run.commands->push_back({Command::invoke, token.step, h});
        if (token.phase != TokenPhase::delayed) continue;
        const auto& delayed = fold.delays.at(h);
        if (!x.began) x.began = std::make_unique<RunExtras::FirstAttempts>();
        (*x.began)[h] = time_of(delayed.first);
        loop.attempts().delay(run, h, time_of(std::min(delayed.due, wall + delayed.wait)));
        if (token.dropped) run.commands->push_back({Command::cancel, token.step, h});
    }
    track.pushed += run.commands->size();
    run.asked = run.state.asked;
    log.tell_held();
    if (is_late) run.time_out();  // drops the steps that would begin again
    for (auto& mail : log.mail_of_children)
        if (mail.path == track.path) mail.mail = renamed(run, fold, std::move(mail.mail));
    for (auto& mail : history.mail) take_mail(run, renamed(run, fold, mail));
    loop.keeper().take_late(run);
}
void restore(RunCore& run, const History& history) {
    const auto refuse = [&](const std::exception& error) -> void {
        throw Error(Code::journal,
                    "run " + run.extras->track->log->id + " cannot be read by this program: " + error.what() +
                        ". Let the run end under the program that stored it, or give each changed type a new name");
    };
    try {
        put_back(run, history);
    } catch (const Error& error) {
        if (error.code() != Code::bad_json) throw;
        refuse(error);
    } catch (const json::exception& error) { refuse(error); }
}
bool restore_child(RunCore& run) {
    auto& log = *run.extras->track->log;
    auto ticks = log.children.extract(run.extras->track->path);
    if (ticks.empty()) return false;
    History history;
    history.ticks = std::move(ticks.mapped());
    try {
        restore(run, history);
    } catch (...) {  // a failure of the step would end the run for good
        auto error = std::current_exception();
        try {
            throw;
        } catch (const MissingPlan& plan) {
            error = std::make_exception_ptr(Error(Code::journal, "a child of run " + log.id +
                                                                     " was stored under the declaration " + plan.hash +
                                                                     ", which is not in the store"));
        } catch (...) {}
        run.loop.load()->keeper().apply(log, {durability::Input::unfit}, error);
        std::rethrow_exception(error);
    }
    take_kept_mail(run);
    return true;
}
}
