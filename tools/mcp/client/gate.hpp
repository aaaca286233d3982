// One at a time: coroutines of one loop that must not do something at the same time, such as connect.
//
//     mcp::Gate gate;
//     auto entering = gate.enter();
//     auto pass = co_await std::move(entering);   // until the pass is destroyed, the others wait
//
// First come, first served, mostly. Whoever is cancelled while waiting is not waited for. The gate outlives its passes.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/bell.hpp"
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
    std::deque<Bell> waiting_;
};
}
