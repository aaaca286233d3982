// A woken coroutine may find the gate taken by a coroutine that never waited; then it waits again.
#include "tools/mcp/client/gate.hpp"
#include <algorithm>

namespace weft::tools::mcp {
/// A place in the queue. If its coroutine ends before it is admitted, the next one is woken instead.
struct Gate::Place {
    Gate& gate;
    Signal signal;
    bool entered = false;
    explicit Place(Gate& g) : gate(g) {}
    ~Place() {
        if (entered) return;
        auto at = std::ranges::find(gate.waiting_, signal);
        if (at != gate.waiting_.end()) gate.waiting_.erase(at);
        else if (!gate.busy_) gate.wake();
    }
};
awaitable<Gate::Pass> Gate::enter() {
    if (busy_) {
        Place place(*this);
        while (busy_) {
            waiting_.push_back(place.signal);
            co_await place.signal.wait();
        }
        place.entered = true;
    }
    busy_ = true;
    co_return Pass(this);
}
void Gate::leave() {
    busy_ = false;
    wake();
}
void Gate::wake() {
    if (waiting_.empty()) return;
    const auto next = waiting_.front();
    waiting_.pop_front();
    next.ring();
}
}
