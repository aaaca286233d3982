// The limits of models that a store keeps (Store::set_model_limit), for the models of one process.
//
//     auto quota = std::make_shared<StoreQuota>(store);
//     auto model = make_model(name, settings, {.quota = quota});
//     quota->close();                                    // before the store is destroyed
//
// One question asks for all calls of a model that wait at this moment; further calls wait for the next question, so a
// store gets at most twenty questions a second from a process for calls that wait. Each process looks for new limits
// every five seconds, and at each question. Calls begin without a limit while the store does not answer the first look.
// If the store fails several times while calls wait, they get its error.
#pragma once
#include "engine/store.hpp"
#include "steps/models/http/model_quota.hpp"

namespace weft::models {
class StoreQuota final : public ModelQuota {
public:
    explicit StoreQuota(Store&);
    ~StoreQuota() override;
    bool may_limit(const std::string& model, Clock::Time now) override;
    awaitable<QuotaPermit> enter(QuotaCall) override;
    void leave(const QuotaPermit&, std::optional<std::int64_t> tokens) override;
    void close();  // asks the store nothing from now on

private:
    class QuotaExchange;
    class PlaceInQueue;
    std::shared_ptr<QuotaExchange> exchange_;  // shared with answers of the store
};
}
