// Lets one coroutine at a time claim runs, in the order of the calls. The coroutines may be on different threads.
//
//     core::ClaimTurns turns;
//     auto waiting = turns.next();
//     const auto turn = co_await std::move(waiting);    // until its destruction
//
// Thread-safe.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/signal.hpp"
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace weft::core {
class ClaimTurns {
    struct State {
        std::mutex mutex;
        bool is_taken = false;
        std::deque<Signal> waiting;
    };

public:
    class ClaimTurn {
    public:
        explicit ClaimTurn(std::shared_ptr<State> state) : state_(std::move(state)) {}
        ClaimTurn(ClaimTurn&&) noexcept = default;
        ~ClaimTurn() {
            if (!state_) return;
            std::lock_guard lock(state_->mutex);
            state_->is_taken = !state_->waiting.empty();
            if (!state_->is_taken) return;
            state_->waiting.front().ring();
            state_->waiting.pop_front();
        }

    private:
        std::shared_ptr<State> state_;  // null after a move
    };
    awaitable<ClaimTurn> next() {
        Signal turn;
        {
            std::lock_guard lock(state_->mutex);
            if (std::exchange(state_->is_taken, true)) state_->waiting.push_back(turn);
            else turn.ring();
        }
        auto rung = turn.wait();
        co_await std::move(rung);
        co_return ClaimTurn(state_);
    }

private:
    const std::shared_ptr<State> state_ = std::make_shared<State>();
};
}
