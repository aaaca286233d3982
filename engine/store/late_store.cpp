// A hint that was asked for before the store is open is passed on later.
#include "engine/store/late_store.hpp"
#include "engine/core/wait/start_thread.hpp"
#include "engine/error.hpp"

namespace weft {
namespace {
constexpr std::chrono::seconds between_attempts(2);
}
struct LateStore::LateHint {
    Hint act;
    std::shared_ptr<void> subscription;  // once the store is open
};
LateStore::LateStore(std::function<std::unique_ptr<Store>()> open, std::string why)
    : ForwardingStore(static_cast<Store&>(*this)), open_(std::move(open)), why_(std::move(why)) {
    thread_ = core::start_thread("a store", [this] { work(); });
}
LateStore::~LateStore() {
    {
        std::lock_guard lock(mutex_);
        stops_ = true;
        changed_.notify_all();
    }
    thread_.join();
}
void LateStore::work() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, between_attempts, [this] { return stops_; })) {
        lock.unlock();
        std::unique_ptr<Store> opened;
        std::string why;
        try {
            opened = open_();
        } catch (const std::exception& error) { why = error.what(); }
        lock.lock();
        if (!opened) {
            why_ = why;
            continue;
        }
        for (auto& each : hints_)
            if (const auto hint = each.lock()) hint->subscription = opened->on_hint(hint->act);
        hints_.clear();
        store_ = std::move(opened);
        return;
    }
}
std::shared_ptr<void> LateStore::on_hint(Hint act) {
    std::lock_guard lock(mutex_);
    if (store_) return store_->on_hint(std::move(act));
    const auto hint = std::make_shared<LateHint>();
    hint->act = std::move(act);
    hints_.push_back(hint);
    return hint;
}
void LateStore::pass(StoreCall call) {
    std::unique_lock lock(mutex_);
    if (!store_) {
        const auto why = why_;
        lock.unlock();
        return call.fail(std::make_exception_ptr(Error(Code::journal, why)));
    }
    auto& store = *store_;  // stays until the destruction
    lock.unlock();
    call.execute(store, [](const StoreCall::GiveAnswer& answer) { answer(); });
}
}
