// Makes a store fail, for tests: at the n-th call, or from then on, with the call undone or done all the same; or late.
//
//     MemoryStore memory;
//     FailingStore store(memory);
//     store.fail(3, FailingStore::How::stored);   // the fourth call from now is stored, and its answer is lost
//
// What it fails with is Error{journal}, as when a disk is full. Calls may come from any thread.
#pragma once
#include "engine/store.hpp"
#include <memory>

namespace weft {
class FailingStore : public Store {
public:
    enum class How {
        not_stored,   // this call is not done
        stored,       // this call is done, and said to have failed
        from_now_on,  // neither this call is done nor a later one, until fail_no_more()
    };
    explicit FailingStore(Store&);  // outlives this one
    ~FailingStore() override;
    /// The n-th call from now; 0 is the next one.
    void fail(std::size_t n, How how = How::not_stored);
    void fail_no_more();
    std::size_t calls() const;     // so far
    std::size_t failures() const;  // so far

    /// From now on answers wait for release().
    void hold();
    /// Gives the oldest n answers that are held, on this thread. Returns how many there were.
    std::size_t release(std::size_t n = ~std::size_t{0});
    std::size_t held() const;

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
    bool is_shared() const noexcept override { return inner_.is_shared(); }
    std::shared_ptr<void> on_hint(Hint act) override { return inner_.on_hint(std::move(act)); }
    void prune(storage::Filter, Then<std::uint64_t>) override;

private:
    struct State;
    template <class T> void pass(Then<T>, const std::function<void(Then<T>)>& call);
    Store& inner_;
    std::shared_ptr<State> state_;  // also with the answers that are still to come
};
}
