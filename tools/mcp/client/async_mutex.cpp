// A woken coroutine may find the gate taken by a coroutine that never waited; then it waits again.
#include "tools/mcp/client/async_mutex.hpp"
#include <algorithm>

namespace weft::tools::mcp {
/// A place in the queue. If its coroutine ends before it is admitted, the next one is woken instead.
struct AsyncMutex::LockWaiter {
    AsyncMutex& gate;
    Signal signal;
    bool entered = false;
    explicit LockWaiter(AsyncMutex& g) : gate(g) {}
    ~LockWaiter() {
        if (entered) return;
        auto at = std::ranges::find(gate.waiting_, signal);
        if (at != gate.waiting_.end()) gate.waiting_.erase(at);
        else if (!gate.busy_) gate.wake();
    }
};
awaitable<AsyncMutex::Lock> AsyncMutex::enter() {
    if (busy_) {
        LockWaiter place(*this);
        while (busy_) {
            waiting_.push_back(place.signal);
            co_await place.signal.wait();
        }
        place.entered = true;
    }
    busy_ = true;
    co_return Lock(this);
}
void AsyncMutex::leave() {
    busy_ = false;
    wake();
}
void AsyncMutex::wake() {
    if (waiting_.empty()) return;
    const auto next = waiting_.front();
    waiting_.pop_front();
    next.ring();
}
}
