// The coroutine that leaves hands the gate over, so no other one can pass those that wait.
#include "engine/impl/async_mutex.hpp"

namespace weft::core {
/// A place in the queue. If its coroutine ends before it enters, the next one is admitted instead.
struct AsyncMutex::LockWaiter {
    AsyncMutex& gate;
    const Signal& turn;
    bool entered = false;
    ~LockWaiter() {
        if (entered) return;
        {
            std::lock_guard lock(gate.mutex_);
            if (std::erase(gate.waiting_, turn) > 0) return;
        }
        gate.leave();
    }
};
awaitable<AsyncMutex::Lock> AsyncMutex::enter() {
    const Signal turn;
    if (!take(turn)) {
        LockWaiter place{*this, turn};
        co_await turn.wait();
        place.entered = true;
    }
    co_return Lock(this);
}
bool AsyncMutex::take(const Signal& turn) {
    std::lock_guard lock(mutex_);
    if (!std::exchange(busy_, true)) return true;
    waiting_.push_back(turn);
    return false;
}
void AsyncMutex::leave() {
    std::lock_guard lock(mutex_);
    busy_ = !waiting_.empty();
    if (!busy_) return;
    waiting_.front().ring();
    waiting_.pop_front();
}
}
