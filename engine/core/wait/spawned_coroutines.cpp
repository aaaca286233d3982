// A coroutine may spawn or remove others during its destruction, so shutdown() takes one at a time under the lock.
#include "engine/core/wait/spawned_coroutines.hpp"

namespace weft::core {
boost::asio::execution_context::id SpawnedCoroutines::id;

void SpawnedCoroutines::add(SpawnedCoroutine& r) {
    std::lock_guard lock(mutex_);
    r.link(first_);
}
void SpawnedCoroutines::remove(SpawnedCoroutine& r) {
    std::lock_guard lock(mutex_);
    r.unlink();
}
void SpawnedCoroutines::shutdown() {
    for (;;) {
        SpawnedCoroutine* r = nullptr;
        {
            std::lock_guard lock(mutex_);
            r = first_;
            if (!r) return;
            r->unlink();
        }
        r->context_goes();
    }
}
}
