// A store that cannot be opened yet: a thread opens it as soon as possible. Until then its calls fail with
// Error{journal}, which says why.
#pragma once
#include "engine/store/forwarding_store.hpp"
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace weft {
class LateStore final : public ForwardingStore {
public:
    /// Calls `open` on a thread of its own, again after each Error, until it returns. `why`: the first error.
    LateStore(std::function<std::unique_ptr<Store>()> open, std::string why);
    ~LateStore() override;
    bool is_shared() const noexcept override { return true; }
    std::shared_ptr<void> on_hint(Hint act) override;

private:
    struct LateHint;
    void pass(StoreCall call) override;
    void work();
    const std::function<std::unique_ptr<Store>()> open_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stops_ = false;
    std::string why_;
    std::unique_ptr<Store> store_;
    std::vector<std::weak_ptr<LateHint>> hints_;  // of before
    std::thread thread_;
};
}
