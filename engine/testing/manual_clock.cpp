// Alarms fire by a post to their own executor; a changed turn number cancels a pending post. A service of the context
// notifies alarms of its destruction.
#include "engine/testing/manual_clock.hpp"
#include <atomic>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace weft::testing {
struct ManualClock::Entry {
    asio::any_io_executor executor;
    std::function<void()> ring, lost;
    std::atomic<std::uint64_t> turn{0};  // incremented by clear() and set(), which cancels pending posts
    std::atomic<bool> set = false;
    std::optional<std::multimap<Time, std::shared_ptr<Entry>>::iterator> place;  // among the alarms that are set
};
// Notifies the alarms of a context of its destruction.
class ManualClock::ContextEnd final : public asio::execution_context::service {
public:
    using key_type = ContextEnd;
    static inline asio::execution_context::id id;
    explicit ContextEnd(asio::execution_context& context) : service(context) {}
    void tell(const std::shared_ptr<Entry>& entry) {
        std::lock_guard lock(mutex_);
        if (entries_.size() >= limit_) {  // rarely, to save time
            std::erase_if(entries_, [](auto& e) { return e.expired(); });
            limit_ = 2 * entries_.size() + 16;
        }
        entries_.push_back(entry);
    }

private:
    void shutdown() override {
        for (auto& weak : std::exchange(entries_, {}))
            if (auto entry = weak.lock(); entry && entry->set.exchange(false) && entry->lost) entry->lost();
    }
    std::mutex mutex_;
    std::vector<std::weak_ptr<Entry>> entries_;
    std::size_t limit_ = 16;
};
class ManualClock::ManualAlarm final : public Alarm {
public:
    ManualAlarm(ManualClock& clock, std::shared_ptr<Entry> entry) : clock_(clock), entry_(std::move(entry)) {}
    ~ManualAlarm() override { clear(); }
    void set(Time at) override {
        std::unique_lock lock(clock_.mutex_);
        remove();
        entry_->set = true;
        if (at > clock_.now_) {
            entry_->place = clock_.alarms_.emplace(at, entry_);
            return;
        }
        const auto turn = entry_->turn.load();
        lock.unlock();
        post(entry_, turn);
    }
    void clear() override {
        std::lock_guard lock(clock_.mutex_);
        remove();
    }
    /// `turn` is read while the clock is locked: a later one would ring an alarm that was destroyed since.
    static void post(const std::shared_ptr<Entry>& entry, std::uint64_t turn) {
        asio::post(entry->executor, [entry, turn] {
            if (entry->turn != turn) return;
            entry->set = false;
            entry->ring();
        });
    }

private:
    void remove() {
        ++entry_->turn;
        entry_->set = false;
        if (entry_->place) clock_.alarms_.erase(*std::exchange(entry_->place, std::nullopt));
    }
    ManualClock& clock_;
    std::shared_ptr<Entry> entry_;
};

Clock::Time ManualClock::now() const {
    std::lock_guard lock(mutex_);
    return now_;
}
WallTime ManualClock::wall() const {
    using namespace std::chrono;
    constexpr sys_days first_day = year(2026) / 1 / 1;
    std::lock_guard lock(mutex_);
    return first_day + floor<microseconds>(now_ - begin_ + jumped_);
}
void ManualClock::jump_wall(Duration d) {
    std::lock_guard lock(mutex_);
    jumped_ += d;
}
std::unique_ptr<Alarm> ManualClock::make_alarm(const asio::any_io_executor& executor, std::function<void()> ring,
                                               std::function<void()> lost) {
    auto entry = std::make_shared<Entry>();
    entry->executor = executor;
    entry->ring = std::move(ring);
    entry->lost = std::move(lost);
    if (entry->lost) asio::use_service<ContextEnd>(asio::query(executor, asio::execution::context)).tell(entry);
    return std::make_unique<ManualAlarm>(*this, std::move(entry));
}
void ManualClock::advance(Duration d) { ring_until(after(d)); }
bool ManualClock::jump() {
    Time next;
    {
        std::lock_guard lock(mutex_);
        if (alarms_.empty()) return false;
        next = alarms_.begin()->first;
    }
    ring_until(next);
    return true;
}
void ManualClock::ring_until(Time time) {
    std::vector<std::pair<std::shared_ptr<Entry>, std::uint64_t>> due;
    {
        std::lock_guard lock(mutex_);
        now_ = std::max(now_, time);
        auto end = alarms_.upper_bound(now_);
        for (auto i = alarms_.begin(); i != end; ++i) {
            i->second->place.reset();
            due.emplace_back(i->second, i->second->turn.load());
        }
        alarms_.erase(alarms_.begin(), end);
    }
    for (auto& [entry, turn] : due) ManualAlarm::post(entry, turn);
}
}
