// The last part to end resumes the step by a post, because its ended frame is still on the stack.
#include "engine/all.hpp"
#include "engine/core/loop/attempt.hpp"
#include "engine/core/loop/run_extras.hpp"
#include <boost/asio/post.hpp>

namespace weft::core {
AllPart::AllPart(AllParts& group, PromiseBase& promise, std::coroutine_handle<> work)
    : Scope(group.parent().runtime()), group_(group), promise_(promise), work_(work) {}
void AllPart::abandoned() {
    was_abandoned_ = true;
    group_.part_ended(*this);
}
Scope* AllPart::outer() const { return &group_.parent(); }
void AllPart::orphaned() { group_.parent().orphaned(); }
bool AllPart::may_begin() const { return group_.parent().may_begin(); }

AllParts::~AllParts() {
    if (self_) *self_ = nullptr;
    if (waiting_) parent_->forget();
    if (run_ && open_ > 1) run_->waiting -= std::uint32_t(open_ - 1);
}
bool AllParts::begin(std::span<AllPart* const> parts) {
    parts_ = parts;
    open_ = 1;  // counts this call
    for (auto* part : parts)
        if (!failed_) start(*part);
    return --open_ == 0;
}
void AllParts::start(AllPart& part) {
    part.promise_.scope = &part;
    part.open_ = true;
    ++open_;
    part.work_.resume();
    if (part.work_.done()) part_ended(part);
    else
        part.promise_.on_end = [](Scope* scope) {
            auto& ended = static_cast<AllPart&>(*scope);
            ended.group_.part_ended(ended);
        };
}
void AllParts::part_ended(AllPart& part) {
    if (!std::exchange(part.open_, false)) return;
    if (!failed_ && (part.promise_.error || part.was_abandoned_)) {
        failed_ = &part;
        cancel_wait();
    }
    --open_;
    if (!waiting_) return;
    if (open_ == 0) return post([](AllParts& self) { self.go_on(); });
    if (!run_) return;
    --run_->waiting;
    if (run_->extras && run_->extras->idle_children_count > 0) post([](AllParts& self) { self.run_->rest(); });
}
void AllParts::post(void (*act)(AllParts&)) {
    if (!self_) self_ = std::make_shared<AllParts*>(this);
    asio::post(parent_->executor(), [self = self_, act] {
        if (*self) act(**self);
    });
}
void AllParts::cancel_wait() {
    for (auto* part : parts_)
        if (part->open_) part->cancel();
}
void AllParts::wait(std::coroutine_handle<> parent) {
    waiting_ = parent;
    parent_->begins(*this);
    if (auto* attempt = attempt_around(parent_)) run_ = &attempt->run, run_->waiting += std::uint32_t(open_ - 1);
    if (parent_->cancelled()) cancel_wait();  // a part may have cancelled the run before the wait
}
void AllParts::go_on() {
    parent_->ended();
    std::exchange(waiting_, {}).resume();
}
void AllParts::throw_if_failed() {
    if (!failed_) return;
    parent_->mark_cancellation_delivered();
    if (failed_->was_abandoned_) throw_aborted();
    std::rethrow_exception(failed_->promise_.error);
}
}
