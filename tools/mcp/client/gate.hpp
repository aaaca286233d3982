// Admits one coroutine of a loop at a time, for example to connect.
//
//     mcp::Gate gate;
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
class Gate {
public:
    class [[nodiscard]] Pass {
    public:
        Pass() = default;
        explicit Pass(Gate* gate) : gate_(gate) {}
        Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
        Pass& operator=(Pass&& other) noexcept {
            std::swap(gate_, other.gate_);
            return *this;
        }
        ~Pass() {
            if (gate_) gate_->leave();
        }

    private:
        Gate* gate_ = nullptr;
    };
    awaitable<Pass> enter();

private:
    struct Place;
    void leave();
    void wake();
    bool busy_ = false;
    std::deque<Signal> waiting_;
};
}
