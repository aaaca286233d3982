// The reducer does not get a step's records. A record belongs to an attempt, and is void after the attempt's next tick.
#include "engine/core/notes.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/record.hpp"
#include "engine/core/wait/scope.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/json/parse.hpp"
#include "engine/json/walk.hpp"
#include "engine/terminal.hpp"
#include "engine/timeout.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <typeinfo>

namespace weft::core {
namespace {
constexpr std::string_view ended_by_limit = "limit";  // stored in place of an error code
/// Whether the exception's class is derived from Error. Steps may test its further members, which a record would lose.
bool says_more(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) { return typeid(e) != typeid(Error); } catch (...) {
        return false;
    }
}
std::string unreadable(const Error& error) {
    return std::string("a restarted step cannot read its record: ") + error.what();
}
/// A key among the effects, beside their names: the step has asked for this name since the run is in memory.
std::string asked_for(const std::string& name) { return std::string(1, '\0') + name; }
/// False if records are no longer written. Throws if the run has ended: another process may still execute it again,
/// because its end may not be stored yet, and would make another record.
bool writes_records(const RunCore& run) {
    if (run.state.status != RunStatus::running) throw_aborted();
    return is_recorded(run.extras->track->log->state);
}
}
std::optional<Notes> Notes::of(RunInterface* common, unsigned token, unsigned attempt, unsigned depth) {
    auto* run = static_cast<RunCore*>(common);
    if (!run || !run->extras || !run->extras->track) return {};
    return Notes(*run, token, attempt, depth);
}
// Records of parts precede the record of the whole work, which makes them void.
Notes::NextNote Notes::next(const std::string& name, const json_detail::Shape* shape, void* value) {
    auto& track = *run_->extras->track;
    auto& all = track.notes[token_];
    const auto at = std::find_if(all.begin(), all.end(), [&](auto& note) { return note.depth <= depth_; });
    if (at == all.end()) {
        if (track.replays) throw_aborted();  // a replay does no work
        const auto begun = track.effects.find(token_);
        if (begun != track.effects.end() && begun->second.contains(name) && !begun->second.contains(asked_for(name)))
            refuse("a restarted step asks for '" + name +
                   "' by ctx.once, but has begun it by ctx.at_most_once: the work would be done twice, so let the run "
                   "end under the program that stored it");
        return NextNote::nothing;
    }
    const StepNote note = std::move(*at);
    all.erase(all.begin(), at + 1);
    if (note.name != name || note.depth != depth_)
        refuse("a restarted step asks for '" + name + "' where it has recorded '" + note.name +
               "': do not change the program in between, and let no choice depend on chance or time");
    if (note.failed == ended_by_limit) {
        if (track.replays) throw_aborted();
        return NextNote::ended;
    }
    if (!note.failed.empty()) fail_again(note);
    if (shape) read(name, *shape, note.value, value);
    return NextNote::value;
}
void Notes::read(const std::string& name, const json_detail::Shape& shape, const std::string& text, void* value) {
    try {
        json_detail::read(shape, parse_json(text, journal::limits), value, json_detail::Path(name));
    } catch (const Error& error) { refuse(unreadable(error)); }
}
void Notes::fail_again(const StepNote& note) {
    auto code = Code::step_failed;
    try {
        code = code_named(note.failed);
    } catch (const Error& error) { refuse(unreadable(error)); }
    throw Error(code, note.value);
}
/// Removes the run from memory: a stored failure of the step would keep the former program from continuing the run.
void Notes::refuse(const std::string& sentence) {
    const Error error(Code::journal, sentence);
    auto& track = *run_->extras->track;
    if (!track.replays)
        run_->loop.load()->keeper().apply(*track.log, {durability::Input::unfit}, std::make_exception_ptr(error));
    throw error;
}
std::string Notes::text_of(const std::string& name, const json_detail::Shape* shape, const void* value) const {
    if (!shape) return "null";
    return json_detail::write(*shape, value, json_detail::Path(name, json_detail::TextForm::unchanged)).dump();
}
template <class R> R Notes::record(const std::string& name) const {
    R record;
    record.at = wall_us(*run_);
    record.run = run_->extras->track->path;
    record.step = run_->definition->steps[run_->state.tokens[token_].step].name;
    record.token = token_;
    record.attempt = attempt_;
    record.name = name;
    record.within = depth_;
    return record;
}
template <class R> void Notes::write(const R& record) {
    auto& track = *run_->extras->track;
    if (const auto failures = track.failures.extract(token_))
        for (auto& failure : failures.mapped()) track.log->append(std::move(failure), {}, {});
    need_ = track.log->append(journal::write_record(record), {}, {}) + 1;
    track.log->required = need_;
    track.kept.recorded.insert(token_);
    track.log->end_at_limit();
}
void Notes::add(const std::string& name, const json_detail::Shape* shape, const void* value) {
    if (!writes_records(*run_)) return;
    auto once = record<journal::OnceRecord>(name);
    once.value = journal::RawJson{text_of(name, shape, value)};
    write(once);
}
void Notes::add_failure(const std::string& name, const std::exception_ptr& error, const Scope& scope) {
    if (says_more(error) || !writes_records(*run_)) return;
    auto once = record<journal::OnceRecord>(name);
    if (scope.cancelled() && is_aborted(error)) once.failed = ended_by_limit;
    else {
        once.failed = weft::name(code_of(error));
        once.error = sentence_of(error);
    }
    run_->extras->track->failures[token_].push_back(journal::write_record(once));
}
Notes::EffectState Notes::effect(const std::string& name, const json_detail::Shape* shape, void* value) {
    auto& track = *run_->extras->track;
    const auto of_token = track.effects.find(token_);
    const auto none_begun = of_token == track.effects.end() || !of_token->second.contains(name);
    if (none_begun) {
        const auto& notes = track.notes[token_];
        const auto next = std::find_if(notes.begin(), notes.end(), [&](auto& note) { return note.depth <= depth_; });
        if (next != notes.end() && next->depth == depth_ && next->name == name)
            refuse("a restarted step asks for '" + name +
                   "' by ctx.at_most_once, but has recorded it by ctx.once: the work would be done twice, so let the "
                   "run end under the program that stored it");
    }
    if (none_begun && track.replays) throw_aborted();
    if (none_begun) return EffectState::not_begun;
    of_token->second.try_emplace(asked_for(name));
    const auto& outcome = of_token->second.at(name);
    if (!outcome) return EffectState::begun;
    read(name, *shape, *outcome, value);
    return EffectState::known;
}
void Notes::begin(const std::string& name) {
    auto& track = *run_->extras->track;
    if (run_->state.status != RunStatus::running || is_ended(track.log->state)) throw_aborted();
    if (durability::is_over(track.log->state)) return;  // wait() throws
    write(record<journal::BegunRecord>(name));
    track.effects[token_].try_emplace(name);
    track.effects[token_].try_emplace(asked_for(name));
}
void Notes::finish(const std::string& name, const json_detail::Shape* shape, const void* value) {
    if (!writes_records(*run_)) return;
    auto text = text_of(name, shape, value);
    auto outcome = record<journal::OutcomeRecord>(name);
    outcome.value = journal::RawJson{text};
    write(outcome);
    run_->extras->track->effects[token_][name] = std::move(text);
}
void Notes::demand_it() const {
    if (run_->extras->track->log->stored < need_) throw_aborted();
}
bool Notes::wait() {
    auto& track = *run_->extras->track;
    if (waits_) --track.waiters;
    waits_ = false;
    if (durability::is_over(track.log->state))
        throw Error(Code::journal, "the store did not keep a record of a step: the step makes it again when the run is "
                                   "resumed");
    LoopCore* loop = run_->loop;
    waits_ = (track.log->stored < need_ || (loop && loop->keeper().is_in_doubt(*track.log))) &&
             run_->state.status == RunStatus::running;
    if (waits_) ++track.waiters;
    return waits_;
}
void StoreChange::await_suspend(std::coroutine_handle<> h) {
    begin(h);
    if (scope_->cancelled()) cancel_wait();
}
}
