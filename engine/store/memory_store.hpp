// A store in memory, for tests of weft and of workflows that survive a restart. An engine finds all runs that an
// earlier engine stored in it.
//
//     MemoryStore store;
//     { Engine engine({.store = &store}); ... }
//     { Engine engine({.store = &store}); engine.recover(stored); ... }
//
// Each call gives its answer before it returns, except after hold().
#pragma once
#include "engine/store/flow.hpp"
#include "engine/store/model_flow.hpp"
#include "engine/store/rules.hpp"
#include <deque>
#include <mutex>

namespace weft {
class MemoryStore : public Store {
public:
    /// `now` returns microseconds since 1970, for rows, leases and wake-up times of runs.
    explicit MemoryStore(std::function<std::int64_t()> now = storage::wall_microseconds) : now_(std::move(now)) {}

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
    void set_limits(storage::QueueLimits, Then<bool>) override;
    void set_model_limit(storage::ModelLimit, Then<bool>) override;
    void model_limits(Then<std::vector<storage::ModelFlow>>) override;
    void take_quota(storage::QuotaRequest, Then<storage::QuotaReply>) override;
    void survey(Then<storage::Survey>) override;
    bool is_shared() const noexcept override { return shared_; }
    void prune(storage::Filter, Then<std::uint64_t>) override;

    /// Makes is_shared() true, as if several processes used the store. Call it before you make engines.
    void share() { shared_ = true; }
    /// From now on calls take effect immediately, but only release() gives their answers, as from a slow disk.
    void hold();
    /// Gives the oldest n held answers on this thread. Returns their number.
    std::size_t release(std::size_t n = ~std::size_t{0});
    /// Ends hold(), and delivers all held answers.
    void flow();
    std::size_t held() const;  // number of answers that wait for release()

private:
    struct MailEntry {
        storage::Mail mail;
        std::optional<std::uint64_t> taken;  // by the batch with this number
    };
    struct RunEntry {
        storage::RunRow row;
        std::vector<storage::StoredTick> ticks;
        std::optional<storage::Snapshot> snapshot;
        std::vector<MailEntry> inbox;
        std::vector<storage::LogEntry> log;
        std::uint64_t place = 0;  // order of runs created within one microsecond
        std::string flow_key;     // storage::key_of()
        storage::DebounceState debounce;
    };
    template <class T, class Work> void answer(Then<T>&, Work);
    RunEntry& find(const std::string& run);
    storage::CreateReply add(storage::NewRun);  // unless the store has its start key
    storage::CreateReply add_debounced(storage::NewRun);
    std::string flow_key(const RunEntry&) const;
    std::vector<RunEntry*> chosen(bool (*before)(const RunEntry*, const RunEntry*),
                                  const std::function<bool(const storage::RunRow&)>& take, std::size_t most);

    storage::FlowStates flows(std::int64_t now) const;
    std::vector<RunEntry*> within_limits(const std::vector<RunEntry*>&, std::size_t most);

    std::function<std::int64_t()> now_;
    mutable std::mutex mutex_;
    std::map<std::string, RunEntry> runs_;
    std::map<std::string, storage::StoredPlan> plans_;
    std::map<std::string, storage::LimitedQueue> limits_;  // by queue
    struct LimitedModel {
        storage::ModelLimit limit;
        storage::ModelQuotaState state;
    };
    std::map<std::string, LimitedModel> models_;
    storage::Leases leases_;
    std::map<std::string, storage::WorkerRow> workers_;
    std::uint64_t places_ = 0;
    std::deque<std::function<void()>> held_;
    bool holding_ = false, shared_ = false;
};
}
