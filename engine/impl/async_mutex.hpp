// Admits one coroutine at a time, for example to connect. The coroutines may be on different threads.
//
//     core::AsyncMutex gate;
//     auto entering = gate.enter();
//     auto pass = co_await std::move(entering);   // other coroutines wait until the pass is destroyed
//
// First come, first served. A cancelled coroutine leaves the queue. The gate must outlive its passes.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/signal.hpp"
#include <deque>
#include <mutex>
#include <utility>

namespace weft::core {
class AsyncMutex {
public:
    class [[nodiscard]] Lock {
    public:
        explicit Lock(AsyncMutex* gate) : gate_(gate) {}
        Lock(Lock&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
        ~Lock() {
            if (gate_) gate_->leave();
        }

    private:
        AsyncMutex* gate_;
    };
    awaitable<Lock> enter();

private:
    struct LockWaiter;
    bool take(const Signal& turn);  // false: the signal is in the queue, and its ring admits the coroutine
    void leave();                   // admits the next one
    std::mutex mutex_;
    bool busy_ = false;
    std::deque<Signal> waiting_;
};
}
