// Limits the time of successive waits with one alarm. A wait that ends in time costs no timer: the alarm stays set, and
// is set again if it fires too early. Internal to engine/net.
//
//     limit.expect(10s);                           // before a wait; ends a longer one
//     ...                                          // the wait fails with operation_aborted
//     limit.rest();
//     if (limit.late()) use("it took too long");
#pragma once
#include "engine/clock.hpp"
#include <algorithm>

namespace weft::net {
class TimeLimit {
public:
    /// The alarm fires after at most `shortest`, so that a later, shorter wait ends in time.
    TimeLimit(const Runtime& runtime, std::function<void()> end, Duration shortest = Duration::max())
        : runtime_(runtime), end_(std::move(end)), shortest_(shortest) {}
    void expect(Duration limit) { expect_until(runtime_.clock->after(limit)); }
    void expect_until(Clock::Time until) {
        until_ = until;
        waiting_ = true;
        late_ = false;
        if (until < armed_for_) arm(std::min(until, runtime_.clock->after(shortest_)));
    }
    void rest() { waiting_ = false; }
    bool late() const { return late_; }  // true if the limit ended the last wait
    void stop() {
        alarm_.reset();
        armed_for_ = Clock::Time::max();
    }
    Clock::Time now() const { return runtime_.clock->now(); }

private:
    void arm(Clock::Time at) {
        if (!alarm_) alarm_ = runtime_.clock->make_alarm(runtime_.executor, [this] { ring(); });
        armed_for_ = at;
        alarm_->set(at);
    }
    void ring() {
        armed_for_ = Clock::Time::max();
        if (!waiting_) return;
        if (runtime_.clock->now() < until_) return arm(until_);
        waiting_ = false;
        late_ = true;
        end_();
    }
    const Runtime runtime_;
    const std::function<void()> end_;
    const Duration shortest_;
    std::unique_ptr<Alarm> alarm_;
    Clock::Time until_{}, armed_for_ = Clock::Time::max();
    bool waiting_ = false, late_ = false;
};
}
