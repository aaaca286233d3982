// A coroutine may spawn or remove others during its destruction, so shutdown() takes one at a time under the lock.
#include "engine/core/wait/spawned_coroutines.hpp"

namespace weft::core {
boost::asio::execution_context::id SpawnedCoroutines::id;

void SpawnedCoroutines::add(SpawnedCoroutine& r) {
    std::lock_guard lock(mutex_);
    r.next_ = first_;
    if (first_) first_->back_ = &r.next_;
    r.back_ = &first_;
    first_ = &r;
}
void SpawnedCoroutines::remove(SpawnedCoroutine& r) {
    std::lock_guard lock(mutex_);
    if (!r.back_) return;
    *r.back_ = r.next_;
    if (r.next_) r.next_->back_ = r.back_;
    r.back_ = nullptr;
}
void SpawnedCoroutines::shutdown() {
    for (;;) {
        SpawnedCoroutine* r = nullptr;
        {
            std::lock_guard lock(mutex_);
            r = first_;
            if (!r) return;
            first_ = r->next_;
            if (first_) first_->back_ = &first_;
            r->back_ = nullptr;
        }
        r->context_goes();
    }
}
}
