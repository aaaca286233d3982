// The engine's threads report events; a descriptor wakes the thread that waits for input in poll().
#include "workflows/driver/run_watcher.hpp"
#include "engine/any_event.hpp"
#include "engine/core/loop/children.hpp"
#include "engine/error.hpp"
#include <algorithm>
#include <sys/eventfd.h>
#include <unistd.h>

namespace weft::driver {
RunWatcher::RunWatcher() : closed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (closed_ < 0)
        throw Error(Code::configuration, "the system has no file descriptors left: raise its limit (ulimit -n)");
}
RunWatcher::~RunWatcher() { ::close(closed_); }
Observer* RunWatcher::next_run() {
    const std::lock_guard lock(mutex_);
    shown_.clear();
    answered_.clear();
    ended_children_.clear();
    ended_ = false;
    return &runs_.emplace_back(*this);
}
RunWatcher::WatchedQuestion RunWatcher::own_name(QuestionId id) const {
    const auto at = shown_.find(id);
    return at == shown_.end() ? WatchedQuestion("", id) : at->second;
}
int RunWatcher::closed(QuestionId id) {
    const std::lock_guard lock(mutex_);
    eventfd_t count = 0;
    (void)::eventfd_read(closed_, &count);  // resets the previous question's count
    awaited_ = own_name(id);
    tell_if_closed();
    return closed_;
}
bool RunWatcher::is_answered(QuestionId id) {
    const std::lock_guard lock(mutex_);
    return answered_.contains(own_name(id));
}
bool RunWatcher::is_closed(QuestionId id) {
    const std::lock_guard lock(mutex_);
    return is_closed(own_name(id));
}
bool RunWatcher::has_ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
}
void RunWatcher::tell_if_closed() {
    if (ended_ || is_closed(awaited_)) (void)::eventfd_write(closed_, 1);
}

// ----- on the threads of the engine

static std::string asker(const Observer::RunInfo& run) { return std::string(run.parent.empty() ? "" : run.id); }
void RunWatcher::RunObserver::question_asked(const RunInfo& run, std::string_view, QuestionId id) noexcept {
    const std::lock_guard lock(all.mutex_);
    if (this == &all.runs_.back()) all.asking_ = {asker(run), id};
}
void RunWatcher::RunObserver::event_streamed(const RunInfo&, const AnyEvent& event) noexcept {
    if (!core::is_of_a_child(event.question())) return;
    const std::lock_guard lock(all.mutex_);
    if (this == &all.runs_.back()) all.shown_[event.question()] = all.asking_;
}
void RunWatcher::RunObserver::question_answered(const RunInfo& run, std::string_view, QuestionId id) noexcept {
    const std::lock_guard lock(all.mutex_);
    if (this != &all.runs_.back()) return;
    all.answered_.emplace(asker(run), id);
    all.tell_if_closed();
}
void RunWatcher::RunObserver::run_ended(const RunInfo& run, RunStatus) noexcept {
    const std::lock_guard lock(all.mutex_);
    if (this != &all.runs_.back()) return;
    const auto is_by_it = [&run](const auto& each) { return each.second.first == run.id; };
    if (run.parent.empty()) all.ended_ = true;
    else if (std::ranges::any_of(all.shown_, is_by_it)) all.ended_children_.emplace(run.id);
    all.tell_if_closed();
}
}
