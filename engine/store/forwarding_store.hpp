// A store before another store, base of stores that change the way of calls: they delay, lose or fail them.
//
//     struct CountingStore : ForwardingStore {
//         using ForwardingStore::ForwardingStore;
//         void pass(StoreCall call) override {
//             ++calls;
//             call.execute(inner, [](const auto& answer) { answer(); });
//         }
//         int calls = 0;
//     };
#pragma once
#include "engine/store.hpp"

namespace weft {
class ForwardingStore : public Store {
public:
    explicit ForwardingStore(Store& to) : inner(to) {}  // the inner store, which must outlive its calls
    ForwardingStore(const ForwardingStore&) = delete;   // otherwise preferred for a derived store
    /// A call on its way. Exactly one answer reaches the caller: by `execute` or by `fail`.
    struct StoreCall {
        using GiveAnswer = std::function<void()>;  // gives the inner store's answer to the caller
        /// Calls the store, and passes its answer, on the thread of that store. At most once.
        std::function<void(Store&, std::function<void(GiveAnswer)>)> execute;
        std::function<void(std::exception_ptr)> fail;  // gives an error to the caller
        bool writes = false;  // a full disk refuses it: create, create_all, append, write_log, send, claim
    };
    void create(storage::NewRun, Then<storage::CreateReply>) override;
    void create_all(std::vector<storage::NewRun>, Then<std::vector<storage::CreateReply>>) override;
    void append(storage::Batch, Then<storage::AppendReply>) override;
    void load(std::string run, Then<storage::History>, std::uint64_t from) override;
    void load_mail(std::string run, Then<std::vector<storage::Mail>>) override;
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
    bool is_shared() const noexcept override { return inner.is_shared(); }
    std::shared_ptr<void> on_hint(Hint act) override { return inner.on_hint(std::move(act)); }
    void prune(storage::Filter, Then<std::uint64_t>) override;

protected:
    virtual void pass(StoreCall) = 0;  // executes or fails the call, now or later
    Store& inner;

private:
    template <class T, class Call> void forward(Then<T>, Call, bool writes = false);
};
}
