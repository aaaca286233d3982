// A store in memory, for tests: of weft itself, and of workflows that are to survive a restart. What one engine has
// stored, another one finds in it.
//
//     MemoryStore store;
//     { Engine engine({.store = &store}); ... }
//     { Engine engine({.store = &store}); engine.recover(stored); ... }
//
// Answers come within the call, but for those that hold() keeps back.
#pragma once
#include "engine/store/rules.hpp"
#include <deque>
#include <mutex>

namespace weft {
class MemoryStore : public Store {
public:
    /// The time in microseconds since 1970, for rows, leases and runs that wait until a time.
    explicit MemoryStore(std::function<std::int64_t()> now = storage::wall_microseconds) : now_(std::move(now)) {}

    void create(storage::NewRun, Then<storage::Created>) override;
    void append(storage::Batch, Then<storage::Appended>) override;
    void load(std::string run, Then<storage::History>, std::uint64_t from) override;
    void write_log(storage::LogEntries, Then<storage::Logged>) override;
    void read_log(std::string run, std::uint64_t from, std::size_t most, Then<storage::LogPart>,
                  std::size_t bytes) override;
    void plan(std::string hash, Then<storage::StoredPlan>) override;
    void send(storage::Mail, Then<storage::Sent>) override;
    void claim(storage::Claim, Then<std::vector<storage::RunRow>>) override;
    void beat(storage::Worker, Then<storage::Pulse>) override;
    void list(storage::Filter, Then<std::vector<storage::RunRow>>) override;
    void survey(Then<storage::Survey>) override;
    bool is_shared() const noexcept override { return shared_; }
    void prune(storage::Filter, Then<std::uint64_t>) override;

    /// From now on is_shared() is true, as if several processes used it. Call it before engines are made.
    void share() { shared_ = true; }
    /// From now on calls take effect, and are answered by release() only, as by a slow disk.
    void hold();
    /// Gives the oldest n answers that are held, on this thread. Returns how many there were.
    std::size_t release(std::size_t n = ~std::size_t{0});
    /// Gives all that is held; from now on answers come within the call again.
    void flow();
    std::size_t held() const;

private:
    struct Letter {
        storage::Mail mail;
        bool is_taken = false;
    };
    struct Stored {
        storage::RunRow row;
        std::vector<storage::StoredTick> ticks;
        std::optional<storage::Snapshot> snapshot;
        std::vector<Letter> inbox;
        std::vector<storage::LogEntry> log;
        std::uint64_t place = 0;  // of runs that were made within one microsecond
    };
    template <class T, class Work> void answer(Then<T>&, Work);
    Stored& find(const std::string& run);
    void make_ready(storage::RunRow&) const;
    std::vector<Stored*> chosen(bool (*before)(const Stored*, const Stored*),
                                const std::function<bool(const storage::RunRow&)>& take, std::size_t most);

    std::function<std::int64_t()> now_;
    mutable std::mutex mutex_;
    std::map<std::string, Stored> runs_;
    std::map<std::string, storage::StoredPlan> plans_;
    storage::Leases leases_;
    std::map<std::string, storage::WorkerRow> workers_;
    std::uint64_t places_ = 0;
    std::deque<std::function<void()>> held_;
    bool holding_ = false, shared_ = false;
};
}
