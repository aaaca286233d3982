// The time limits of one request, with one alarm. A wait that ends in time costs no timer: the alarm stays set, and is
// set again if it goes off too early. Internal to engine/net.
//
//     watch.expect(Phase::idle);                    // before a wait; ends it when it takes too long
//     ...                                           // the wait fails with operation_aborted
//     watch.rest();                                 // after it
//     if (watch.late()) throw watch.error(origin);
#pragma once
#include "engine/core/scope.hpp"
#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"

namespace weft::net {
class Watch {
public:
    Watch(const Runtime&, const HttpTimeouts&, Clock::Time deadline, std::function<void()> end);
    void expect(Phase);  // first_byte, idle or total
    void rest() { waiting_ = false; }
    bool late() const { return late_; }
    NetError error(const std::string& origin) const;
    Clock::Time now() const { return runtime_.clock->now(); }
    /// Counts bytes of the body from the wait that has just ended. Whether they were too few for too long.
    bool drips(std::size_t bytes);
    NetError drip_error(const std::string& origin) const;
    void stop() { alarm_.reset(); }

private:
    Duration limit_of(Phase) const;
    void arm(Clock::Time);
    void ring();
    const Runtime runtime_;
    const HttpTimeouts timeouts_;
    const std::function<void()> end_;
    std::unique_ptr<Alarm> alarm_;
    const Clock::Time deadline_;
    Clock::Time begin_{}, until_{}, armed_for_ = Clock::Time::max();
    Phase phase_ = Phase::none;
    bool waiting_ = false, late_ = false;
    std::size_t dripped_ = 0;
    Duration drip_time_{};
};
}
