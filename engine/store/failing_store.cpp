// The call itself decides whether it fails; its answer may come on another thread, after this store is destroyed.
#include "engine/store/failing_store.hpp"
#include "engine/error.hpp"
#include <deque>
#include <mutex>

namespace weft {
struct FailingStore::State {
    mutable std::mutex mutex;
    std::size_t calls = 0, failures = 0, fails_at = ~std::size_t{0};
    FailureMode how = FailureMode::not_stored;
    std::deque<std::function<void()>> held;
    bool holding = false;

    std::optional<FailureMode> next() {
        std::lock_guard lock(mutex);
        const auto call = calls++;
        if (call != fails_at && !(how == FailureMode::from_now_on && call > fails_at)) return {};
        ++failures;
        return how;
    }
    void give(std::function<void()> answer) {
        {
            std::lock_guard lock(mutex);
            if (holding) return held.push_back(std::move(answer));
        }
        answer();
    }
};
FailingStore::FailingStore(Store& store) : ForwardingStore(store), state_(std::make_shared<State>()) {}
FailingStore::~FailingStore() = default;

void FailingStore::fail(std::size_t n, FailureMode how) {
    std::lock_guard lock(state_->mutex);
    state_->fails_at = state_->calls + n;
    state_->how = how;
}
void FailingStore::fail_no_more() {
    std::lock_guard lock(state_->mutex);
    state_->fails_at = ~std::size_t{0};
}
std::size_t FailingStore::calls() const {
    std::lock_guard lock(state_->mutex);
    return state_->calls;
}
std::size_t FailingStore::failures() const {
    std::lock_guard lock(state_->mutex);
    return state_->failures;
}
void FailingStore::hold() {
    std::lock_guard lock(state_->mutex);
    state_->holding = true;
}
std::size_t FailingStore::release(std::size_t n) {
    std::size_t done = 0;
    for (; done < n; ++done) {
        std::unique_lock lock(state_->mutex);
        if (state_->held.empty()) break;
        auto answer = std::move(state_->held.front());
        state_->held.pop_front();
        lock.unlock();
        answer();
    }
    return done;
}
std::size_t FailingStore::held() const {
    std::lock_guard lock(state_->mutex);
    return state_->held.size();
}

void FailingStore::pass(StoreCall call) {
    const auto how = state_->next();
    const auto give = [state = state_](StoreCall::GiveAnswer answer) { state->give(std::move(answer)); };
    if (!how) return call.execute(inner, give);
    const auto fail = [give, fail = std::move(call.fail)] {
        give([fail] { fail(std::make_exception_ptr(Error(Code::journal, "the store was told to fail"))); });
    };
    if (*how == FailureMode::stored) call.execute(inner, [fail](const StoreCall::GiveAnswer&) { fail(); });
    else fail();
}
}
