// The connection of a process to its store. It delays calls and answers, and it breaks: a broken connection loses the
// calls that have not arrived, and all answers on their way. Calls arrive in their order.
#pragma once
#include "engine/store.hpp"
#include "tests/simulation/world.hpp"

namespace simulation {
/// While the disk of the store is full, calls that write fail. All connections share it.
struct Disk {
    Clock::Time full_until{};
};
class Link final : public Store {
public:
    struct Delays {
        Duration usual = std::chrono::milliseconds(3), rare = std::chrono::seconds(4);
        unsigned rare_in_thousand = 5;
    };
    Link(Machine&, Store&, const Disk&, Delays);
    ~Link() override;
    void cut_until(Clock::Time);  // breaks the connection; later calls fail until then
    void die();                   // the process is dead: it gets no further answer
    bool is_cut() const;
    std::uint64_t breaks() const;

    void create(storage::NewRun, Then<storage::CreateReply>) override;
    void create_all(std::vector<storage::NewRun>, Then<std::vector<storage::CreateReply>>) override;
    void append(storage::Batch, Then<storage::AppendReply>) override;
    void load(std::string run, Then<storage::History>, std::uint64_t from) override;
    void write_log(storage::LogEntries, Then<storage::LogReply>) override;
    void read_log(std::string run, std::uint64_t from, std::size_t most, Then<storage::LogPart>,
                  std::size_t bytes) override;
    void plan(std::string hash, Then<storage::StoredPlan>) override;
    void send(storage::Mail, Then<storage::SendReply>) override;
    void claim(storage::ClaimRequest, Then<std::vector<storage::RunRow>>) override;
    void heartbeat(storage::Heartbeat, Then<storage::HeartbeatReply>) override;
    void list(storage::Filter, Then<std::vector<storage::RunRow>>) override;
    void survey(Then<storage::Survey>) override;
    bool is_shared() const noexcept override { return true; }
    void prune(storage::Filter, Then<std::uint64_t>) override;
    void load_mail(std::string run, Then<std::vector<storage::Mail>>) override;

private:
    struct State;
    template <class T> void pass(Then<T>, std::function<void(Store&, Then<T>)>, bool writes = false);
    const std::shared_ptr<State> state_;
};
}
