// Makes a store fail, for tests: at call n or from call n on, before or after the call takes effect; or delays answers.
//
//     MemoryStore memory;
//     FailingStore store(memory);
//     store.fail(3, FailingStore::FailureMode::stored);   // the fourth call from now is stored, and its answer is lost
//
// A failure is Error{journal}, as when a disk is full. Any thread may call.
#pragma once
#include "engine/store.hpp"
#include <memory>

namespace weft {
class FailingStore : public Store {
public:
    enum class FailureMode {
        not_stored,   // this call takes no effect
        stored,       // this call takes effect and reports a failure
        from_now_on,  // no call takes effect until fail_no_more()
    };
    using How [[deprecated("its name is FailureMode")]] = FailureMode;  // name of version 0.1
    explicit FailingStore(Store&);                                      // the inner store, which must outlive this one
    ~FailingStore() override;
    /// Fails the n-th call from now; 0 is the next one.
    void fail(std::size_t n, FailureMode how = FailureMode::not_stored);
    void fail_no_more();           // ends fail(): all further calls reach the inner store
    std::size_t calls() const;     // since construction
    std::size_t failures() const;  // since construction

    /// Delays all further answers until release().
    void hold();
    /// Gives the oldest n held answers on this thread. Returns their number.
    std::size_t release(std::size_t n = ~std::size_t{0});
    std::size_t held() const;  // number of delayed answers

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
    bool is_shared() const noexcept override { return inner_.is_shared(); }
    std::shared_ptr<void> on_hint(Hint act) override { return inner_.on_hint(std::move(act)); }
    void prune(storage::Filter, Then<std::uint64_t>) override;

private:
    struct State;
    template <class T> void pass(Then<T>, const std::function<void(Then<T>)>& call);
    Store& inner_;
    std::shared_ptr<State> state_;  // shared with pending answers
};
}
