// The undo step's event enters the run with the tick that ends its other work, so recovery finds both or none.
#include "engine/core/loop/undoing.hpp"
#include "engine/core/fold.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/record.hpp"
#include "engine/ending.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include <algorithm>
#include <charconv>
#include <limits>

namespace weft::core {
namespace {
/// Whether a step may have begun. A run that waits for its turn or its time has done nothing.
bool has_begun(const RunCore& run) {
    if (run.state.tokens.size() == 0) return false;
    const auto* track = run.extras ? run.extras->track.get() : nullptr;
    if (!track || !track->log) return true;
    const auto& log = *track->log;
    const bool is_new = log.epoch <= 1 && log.next() == log.first() + 1;
    return track->begun && !(is_new && (run.extras->held || log.is_delayed));
}
void note_early_end(RunCore& run, RunStatus status) {
    const bool is_late = status == RunStatus::timed_out;
    const auto why = is_late ? "it took longer than its limit of " + in_seconds(undo_limit(run))
                             : "it was cancelled, too";
    note_undo_failure(run, std::make_exception_ptr(Error(is_late ? Code::timed_out : Code::cancelled, why)));
}
constexpr std::uint8_t most_prolongations = 5;
/// The end of the token's sleeps, if they end after `last`.
std::int64_t end_of_sleep(const Fold& fold, Handle h, std::int64_t last) {
    const auto found = fold.effects.find(h);
    if (found == fold.effects.end()) return last;
    for (auto& [name, value] : found->second) {
        std::int64_t end = 0;
        if (!value || !name.starts_with(journal::sleep_name)) continue;
        std::from_chars(value->data(), value->data() + value->size(), end);
        last = std::max(last, end);
    }
    return last;
}
/// The time from which the run had work to do.
std::int64_t time_of_work(const State& state, const Fold& fold, std::int64_t last, bool has_mail) {
    if (has_mail) return last;
    auto first = std::numeric_limits<std::int64_t>::max();
    for (Handle h : state.tokens.used()) {
        const auto phase = state.tokens[h].phase;
        if (phase == TokenPhase::running) first = std::min(first, end_of_sleep(fold, h, last));
        if (phase == TokenPhase::delayed) first = std::min(first, fold.delays.at(h).due);
    }
    return first;
}
std::string sentence_of_end(const RunCore& run, RunStatus status, StepIndex culprit) {
    if (status == RunStatus::cancelled) return "the run was cancelled";
    if (status == RunStatus::timed_out)
        return sentence_of(RunTimedOutEvent{.timeout = std::chrono::duration<double>(run.extras->timeout).count()});
    return sentence_of(RunFailedEvent{.step = std::string(run.definition->steps[culprit].name),
                                      .error = sentence_of(run.extras->error)});
}
}
std::optional<Emitted> put_ending(RunCore& run, RunStatus status, StepIndex culprit) {
    if (status == RunStatus::failed && culprit == no_step) return {};
    if (run.state.ending != EndingPhase::not_begun) {
        note_early_end(run, status);
        return {};
    }
    const auto type = run.definition->ending;
    if (type == no_type || !has_begun(run)) return {};
    RunEndingEvent event{.status = status, .sentence = sentence_of_end(run, status, culprit)};
    return run.definition->events[type].put(run, type, &event);
}
Duration undo_limit(const RunCore& run) {
    const auto& plan = run.definition->plan;
    const auto undo = plan.consumers[plan.events[run.definition->ending].first].step;
    return std::chrono::duration_cast<Duration>(run.definition->steps[undo].policy.within);
}
std::optional<std::int64_t> prolonged_deadline(const RunCore& run, const Fold& fold, const storage::History& history) {
    if (run.state.ending == EndingPhase::not_begun || run.state.status != RunStatus::running) return {};
    if (!fold.deadline || fold.prolongations >= most_prolongations) return {};
    const auto limit = std::chrono::ceil<std::chrono::microseconds>(undo_limit(run)).count();
    const auto began = *fold.deadline - limit;
    const auto last = history.ticks.empty() ? began
                                            : journal::time_of(journal::read_entry(history.ticks.back()).record);
    const auto due = time_of_work(run.state, fold, last, !history.mail.empty());
    const auto now = wall_us(run);
    const auto lost = due < *fold.deadline ? now - due : 0;
    if (lost <= limit / 10) return {};  // a run that sleeps wakes a little late
    return std::min(now + limit, *fold.deadline + lost);
}
void begin_undoing(RunCore& run, const std::optional<Emitted>& event) {
    if (!event || run.state.status != RunStatus::running || run.state.ending == EndingPhase::not_begun) return;
    LoopCore& loop = *run.loop.load();
    auto& x = run.more();
    loop.timers().remove(x.deadline);
    loop.timers().set(x.deadline, loop.runtime().clock->after(undo_limit(run)));
    if (x.held) {  // an undoing run waits for no turn
        loop.give_up_turn(run);
        if (std::exchange(x.track->parked, false)) loop.make_ready(run);
    }
    const auto& ending = *static_cast<const RunEndingEvent*>(run.cells[event->cell].event());
    PublishedBox told(new Published::Of<RunEndingEvent>(RunEndingEvent(ending)));
    if (!x.track || !x.track->log) return run.publish(told.release());
    x.track->log->held.push_back({.run = &run, .event = std::move(told), .need = x.track->log->required});
    x.track->log->tell_held();
}
void RunCore::cancel() {  // the first cancellation does not end an undoing, whose caller may not know of it
    const bool undoes = state.status == RunStatus::running && state.ending != EndingPhase::not_begun;
    if (undoes && state.ends_as != RunStatus::cancelled && !std::exchange(extras->was_cancelled, true)) return;
    end_by(RunStatus::cancelled);
}
void note_undo_failure(RunCore& run, const std::exception_ptr& error) {
    auto& x = run.more();
    x.undo_error = sentence_of(error);
    if (x.track) x.track->extra.error = error;
}
}
