// Admits one coroutine of a loop at a time, for example to connect.
//
//     mcp::AsyncMutex gate;
//     auto entering = gate.enter();
//     auto pass = co_await std::move(entering);   // other coroutines wait until the pass is destroyed
//
// Mostly first come, first served. A cancelled coroutine leaves the queue. The gate must outlive its passes.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/signal.hpp"
#include <deque>
#include <utility>

namespace weft::tools::mcp {
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
    void leave();
    void wake();
    bool busy_ = false;
    std::deque<Signal> waiting_;
};
}
