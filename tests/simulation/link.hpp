// The connection of a process to its store. It delays calls and answers, and it breaks: a broken connection loses the
// calls that have not arrived, and all answers on their way. Calls arrive in their order. Some answers of heartbeats
// come so late that the lease is in doubt.
#pragma once
#include "engine/store/forwarding_store.hpp"
#include "tests/simulation/world.hpp"

namespace simulation {
/// A database as its connections see it. While its disk is full, calls that write fail. It takes new runs only from
/// processes that know all databases of the store.
struct Disk {
    Clock::Time full_until{};
    unsigned growths = 0;  // of the store
};
class Link final : public ForwardingStore {
public:
    Link(Machine&, Store&, const Disk&, Duration lease);
    ~Link() override;
    void cut_until(Clock::Time);            // breaks the connection; later calls fail until then
    void cut_after_heartbeat(Clock::Time);  // does so when the next answer of a heartbeat has come, which is late
    enum class CallKind : std::uint8_t { other, parking, claim, heartbeat, creation };
    /// Until then, single calls of this kind or their answers are lost, and those after them are not; `other`: of all
    /// kinds, except for parkings and claims.
    void lose_until(Clock::Time, CallKind);
    void follow_growth();  // from now on the process knows all databases
    void die();            // the process is dead: it gets no further answer
    using OnMoving = std::function<void(const std::string& run)>;
    /// Calls `act` when a call that parks or loads a run, or begins it again, begins its way.
    void on_moving(OnMoving act) { on_moving_ = std::move(act); }
    void create(storage::NewRun, Then<storage::CreateReply>) override;
    void create_all(std::vector<storage::NewRun>, Then<std::vector<storage::CreateReply>>) override;
    void append(storage::Batch, Then<storage::AppendReply>) override;
    void load(std::string run, Then<storage::History>, std::uint64_t from) override;
    void claim(storage::ClaimRequest, Then<std::vector<storage::RunRow>>) override;
    void heartbeat(storage::Heartbeat, Then<storage::HeartbeatReply>) override;
    bool is_shared() const noexcept override { return inner.is_shared(); }

private:
    struct State;
    void pass(StoreCall) override;
    const std::shared_ptr<State> state_;
    OnMoving on_moving_;
    CallKind kind_ = CallKind::other;  // of the next call
};
}
