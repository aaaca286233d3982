// The call itself decides whether it fails; its answer may come on another thread, after this store is destroyed.
#include "engine/store/failing_store.hpp"
#include "engine/error.hpp"
#include <deque>
#include <mutex>

namespace weft {
using namespace storage;
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
FailingStore::FailingStore(Store& inner) : inner_(inner), state_(std::make_shared<State>()) {}
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

template <class T> void FailingStore::pass(Then<T> then, const std::function<void(Then<T>)>& call) {
    const auto how = state_->next();
    auto late = [state = state_, then = std::move(then)](std::exception_ptr error, T value) {
        state->give([then, error, value = std::move(value)] { then(error, value); });
    };
    if (!how) return call(late);
    auto error = std::make_exception_ptr(Error(Code::journal, "the store was told to fail"));
    if (*how == FailureMode::stored) call([late, error](std::exception_ptr, T) { late(error, T{}); });
    else late(error, T{});
}
void FailingStore::create(NewRun run, Then<CreateReply> then) {
    pass<CreateReply>(std::move(then), [&](auto next) { inner_.create(std::move(run), std::move(next)); });
}
void FailingStore::create_all(std::vector<NewRun> runs, Then<std::vector<CreateReply>> then) {
    pass<std::vector<CreateReply>>(std::move(then),
                                   [&](auto next) { inner_.create_all(std::move(runs), std::move(next)); });
}
void FailingStore::append(Batch batch, Then<AppendReply> then) {
    pass<AppendReply>(std::move(then), [&](auto next) { inner_.append(std::move(batch), std::move(next)); });
}
void FailingStore::load(std::string run, Then<History> then, std::uint64_t from) {
    pass<History>(std::move(then), [&](auto next) { inner_.load(std::move(run), std::move(next), from); });
}
void FailingStore::write_log(LogEntries entries, Then<LogReply> then) {
    pass<LogReply>(std::move(then), [&](auto next) { inner_.write_log(std::move(entries), std::move(next)); });
}
void FailingStore::read_log(std::string run, std::uint64_t from, std::size_t most, Then<LogPart> then,
                            std::size_t bytes) {
    pass<LogPart>(std::move(then),
                  [&](auto next) { inner_.read_log(std::move(run), from, most, std::move(next), bytes); });
}
void FailingStore::plan(std::string hash, Then<StoredPlan> then) {
    pass<StoredPlan>(std::move(then), [&](auto next) { inner_.plan(std::move(hash), std::move(next)); });
}
void FailingStore::send(Mail mail, Then<SendReply> then) {
    pass<SendReply>(std::move(then), [&](auto next) { inner_.send(std::move(mail), std::move(next)); });
}
void FailingStore::claim(ClaimRequest claim, Then<std::vector<RunRow>> then) {
    pass<std::vector<RunRow>>(std::move(then), [&](auto next) { inner_.claim(std::move(claim), std::move(next)); });
}
void FailingStore::heartbeat(Heartbeat worker, Then<HeartbeatReply> then) {
    pass<HeartbeatReply>(std::move(then), [&](auto next) { inner_.heartbeat(std::move(worker), std::move(next)); });
}
void FailingStore::list(Filter filter, Then<std::vector<RunRow>> then) {
    pass<std::vector<RunRow>>(std::move(then), [&](auto next) { inner_.list(std::move(filter), std::move(next)); });
}
void FailingStore::set_model_limit(ModelLimit limit, Then<bool> then) {
    pass<bool>(std::move(then), [&](auto next) { inner_.set_model_limit(std::move(limit), std::move(next)); });
}
void FailingStore::model_limits(Then<std::vector<ModelFlow>> then) {
    pass<std::vector<ModelFlow>>(std::move(then), [&](auto next) { inner_.model_limits(std::move(next)); });
}
void FailingStore::take_quota(QuotaRequest request, Then<QuotaReply> then) {
    pass<QuotaReply>(std::move(then), [&](auto next) { inner_.take_quota(std::move(request), std::move(next)); });
}
void FailingStore::set_limits(QueueLimits limits, Then<bool> then) {
    pass<bool>(std::move(then), [&](auto next) { inner_.set_limits(std::move(limits), std::move(next)); });
}
void FailingStore::survey(Then<Survey> then) {
    pass<Survey>(std::move(then), [&](auto next) { inner_.survey(std::move(next)); });
}
void FailingStore::prune(Filter filter, Then<std::uint64_t> then) {
    pass<std::uint64_t>(std::move(then), [&](auto next) { inner_.prune(std::move(filter), std::move(next)); });
}
}
