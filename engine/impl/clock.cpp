// A timer's callback may already be queued when the alarm is cleared or destroyed: its old turn number shows this. A
// callback that is destroyed without a call means that its context is being destroyed.
#include "engine/clock.hpp"
#include <boost/asio/steady_timer.hpp>
#include <cstdio>
#include <ctime>

namespace weft {
namespace {
class RealAlarm final : public Alarm {
public:
    RealAlarm(const asio::any_io_executor& executor, std::function<void()> ring, std::function<void()> lost)
        : shared_(std::make_shared<State>(executor, std::move(ring), std::move(lost))) {}
    ~RealAlarm() override { clear(); }
    void set(Clock::Time at) override {
        shared_->timer.expires_at(at);
        shared_->timer.async_wait(AlarmWait{shared_, ++shared_->turn});
    }
    void clear() override {
        ++shared_->turn;
        shared_->timer.cancel();
    }

private:
    struct State {  // outlives the alarm until the last handler is destroyed
        State(const asio::any_io_executor& executor, std::function<void()> r, std::function<void()> l)
            : timer(executor), ring(std::move(r)), lost(std::move(l)) {}
        asio::steady_timer timer;
        std::function<void()> ring, lost;
        std::uint64_t turn = 0;  // grows with clear(): a queued wait with an older number is void
    };
    struct AlarmWait {
        AlarmWait(std::shared_ptr<State> s, std::uint64_t t) : shared(std::move(s)), turn(t) {}
        AlarmWait(AlarmWait&&) = default;
        ~AlarmWait() {  // not called: the context is being destroyed
            if (shared && shared->turn == turn && shared->lost) shared->lost();
        }
        void operator()(boost::system::error_code) {
            if (auto s = std::exchange(shared, nullptr); s->turn == turn) s->ring();
        }
        std::shared_ptr<State> shared;
        std::uint64_t turn;
    };
    std::shared_ptr<State> shared_;
};
class RealClock final : public Clock {
public:
    Time now() const override { return std::chrono::steady_clock::now(); }
    std::unique_ptr<Alarm> make_alarm(const asio::any_io_executor& executor, std::function<void()> ring,
                                      std::function<void()> lost) override {
        return std::make_unique<RealAlarm>(executor, std::move(ring), std::move(lost));
    }
};
}

WallTime Clock::wall() const { return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()); }
Duration Clock::since_boot() const {
    timespec time{};
    ::clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}
Clock::Time Clock::after(Duration d) const {
    const Time t = now();
    return d > Time::max() - t ? Time::max() : t + d;
}
std::string in_seconds(Duration d) {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", std::chrono::duration<double>(d).count());
    return text;
}
Clock& real_clock() {
    static RealClock clock;
    return clock;
}
}
