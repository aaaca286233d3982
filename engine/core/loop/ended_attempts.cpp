// The attempts whose coroutine has ended. They wait in a list for the loop's next turn, because a coroutine tells its
// end from within its frame.
#include "engine/core/loop/attempt.hpp"
#include "engine/core/loop/attempts.hpp"
#include "engine/ending.hpp"
#include <utility>

namespace weft::core {
void ended(Scope* scope) {  // collect_ended() destroys the frame, outside of it
    auto* a = static_cast<Attempt*>(scope);
    a->run.loop.load()->attempts().add_ended(*a);
}
void Attempts::add_ended(Attempt& a) {
    if (std::exchange(a.has_ended, true)) return;  // several parts of its wait were dropped
    a.next_ended = nullptr;
    (first_ended_ ? last_ended_->next_ended : first_ended_) = &a;
    last_ended_ = &a;
    loop_.schedule();
}
void Attempt::abandoned() {
    was_abandoned = true;
    core::ended(this);
}
void Attempts::destroy_all(RunCore& run) {
    emitted_.clear();  // it may hold the events of another step
    while (auto* a = run.attempts) {
        observe_end(*a, std::make_exception_ptr(RunError(Code::cancelled, "the run was cancelled")));
        a->unlink();
        if (a->coroutine) std::exchange(a->coroutine, {}).destroy();  // this may end the attempt
        if (a->has_ended) forget_ended(*a);
        delete a;
    }
}
void Attempts::forget_all_ended() {
    while (auto* a = std::exchange(first_ended_, first_ended_ ? first_ended_->next_ended : nullptr))
        a->has_ended = false;
}
void Attempts::forget_ended(const Attempt& a) {
    Attempt* before = nullptr;
    for (auto* each = first_ended_; each != &a; each = each->next_ended) before = each;
    (before ? before->next_ended : first_ended_) = a.next_ended;
    if (last_ended_ == &a) last_ended_ = before;
}
}
