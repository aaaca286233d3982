// The connection of a process to its store. It delays calls and answers, and it breaks: a broken connection loses the
// calls that have not arrived, and all answers on their way. Calls arrive in their order.
#pragma once
#include "engine/store/forwarding_store.hpp"
#include "tests/simulation/world.hpp"

namespace simulation {
/// While the disk of the store is full, calls that write fail. All connections share it.
struct Disk {
    Clock::Time full_until{};
};
class Link final : public ForwardingStore {
public:
    Link(Machine&, Store&, const Disk&);
    ~Link() override;
    void cut_until(Clock::Time);   // breaks the connection; later calls fail until then
    void lose_until(Clock::Time);  // single calls and answers are lost until then, and those after them are not
    void die();                    // the process is dead: it gets no further answer
    bool is_shared() const noexcept override { return true; }

private:
    struct State;
    void pass(StoreCall) override;
    const std::shared_ptr<State> state_;
};
}
