// A record is no tick: the reducer never hears of it. It belongs to the attempt, whose next tick makes it void.
#include "engine/core/notes.hpp"
#include "engine/core/loop.hpp"
#include "engine/core/record.hpp"
#include "engine/core/run_extras.hpp"
#include "engine/core/scope.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/json/walk.hpp"
#include <nlohmann/json.hpp>

namespace weft::core {
std::optional<Notes> Notes::of(Common* common, unsigned token, unsigned attempt) {
    auto* run = static_cast<RunCore*>(common);
    if (!run || !run->extras || !run->extras->track) return {};
    return Notes(*run, token, attempt);
}
bool Notes::next(const std::string& name, const json_detail::Shape* shape, void* value) {
    auto& track = *run_->extras->track;
    const auto found = track.notes.find(token_);
    if (found == track.notes.end() || found->second.empty()) {
        if (track.replays) throw_aborted();  // it would do the work
        return false;
    }
    const Note note = std::move(found->second.front());
    found->second.erase(found->second.begin());
    if (note.name != name)
        throw Error(Code::journal, "a step that begins again has asked for '" + name + "' where it had recorded '" +
                                       note.name +
                                       "': between the two there must be no change of the program, and no "
                                       "choice by chance or time");
    if (shape)
        json_detail::read(*shape, parse_json(note.value, limits_of_records), value,
                          json_detail::Path(name));
    return true;
}
void Notes::add(const std::string& name, const json_detail::Shape* shape, const void* value) {
    auto& track = *run_->extras->track;
    if (track.log->lost || run_->state.cause != Cause::none) return;
    nlohmann::json body = {
        {"tick", "once"},
        {"at", wall_us(*run_)},
        {"step", run_->definition->steps[run_->state.tokens[token_].step].name},
        {"token", token_},
        {"attempt", attempt_},
        {"name", name},
        {"value", shape ? json_detail::write(*shape, value, json_detail::Path(name, json_detail::Texts::unchanged))
                        : nlohmann::json()}};
    if (!track.path.empty()) body["run"] = track.path;
    need_ = track.log->append(body.dump(), {}, {}) + 1;
    track.log->required = need_;
    track.kept.recorded.insert(token_);
    run_->loop.load()->end_at_limit(*track.log);
}
bool Notes::wait() {
    auto& track = *run_->extras->track;
    if (waits_) --track.waiters;
    waits_ = false;
    if (track.log->lost)
        throw Error(Code::journal,
                    "the store did not keep what a step has recorded: it is asked for again when the run "
                    "is resumed");
    waits_ = track.log->stored < need_ && run_->state.cause == Cause::none;
    if (waits_) ++track.waiters;
    return waits_;
}
void StoreChange::await_suspend(std::coroutine_handle<> h) {
    begin(h);
    if (scope_->cancelled()) cancel_wait();
}
void StoreChange::cancel_wait() {
    if (Loop* loop = run_->loop) loop->wake(*run_);
}
void StoreChange::await_resume() {
    if (end()) throw_aborted();
}
}
