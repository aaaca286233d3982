// The time that one wait after another may take, with one alarm: a wait that ends in time costs no timer, because the
// alarm stays set, and is set again if it goes off too early. Internal to engine/net.
//
//     limit.expect(10s);                           // before a wait; ends it when it takes longer
//     ...                                          // the wait fails with operation_aborted
//     limit.rest();
//     if (limit.late()) use("it took too long");
#pragma once
#include "engine/clock.hpp"

namespace weft::net {
class TimeLimit {
public:
    TimeLimit(const Runtime& runtime, std::function<void()> end) : runtime_(runtime), end_(std::move(end)) {}
    void expect(Duration limit) { expect_until(runtime_.clock->after(limit)); }
    void expect_until(Clock::Time until) {
        until_ = until;
        waiting_ = true;
        if (armed_for_ <= until) return;
        armed_for_ = until;
        if (!alarm_) alarm_ = runtime_.clock->make_alarm(runtime_.executor, [this] { ring(); });
        alarm_->set(until);
    }
    void rest() { waiting_ = false; }
    bool late() const { return late_; }
    Clock::Time now() const { return runtime_.clock->now(); }

private:
    void ring() {
        armed_for_ = Clock::Time::max();
        if (!waiting_) return;
        if (runtime_.clock->now() < until_) return expect_until(until_);
        waiting_ = false;
        late_ = true;
        end_();
    }
    const Runtime runtime_;
    const std::function<void()> end_;
    std::unique_ptr<Alarm> alarm_;
    Clock::Time until_{}, armed_for_ = Clock::Time::max();
    bool waiting_ = false, late_ = false;
};
}
