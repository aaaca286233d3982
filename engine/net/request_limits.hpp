// The time limits of one request: chooses the limit of a wait, and writes the error. Also counts bytes, and ends an
// answer that drips. Internal to engine/net.
//
//     watch.expect(TimeoutPhase::idle);                    // before a wait; ends a longer one
//     ...                                           // the wait fails with operation_aborted
//     watch.rest();                                 // after it
//     if (watch.late()) throw watch.error(origin);
#pragma once
#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/time_limit.hpp"

namespace weft::net {
class RequestLimits : public TimeLimit {
public:
    RequestLimits(const Runtime&, const HttpTimeouts&, Clock::Time deadline, std::function<void()> end);
    void expect(TimeoutPhase);  // first_byte, idle or total
    NetError error(const std::string& origin) const;
    /// Counts body bytes of the wait that has just ended. Returns true if they were too few for too long.
    bool drips(std::size_t bytes);
    NetError drip_error(const std::string& origin) const;

private:
    Duration limit_of(TimeoutPhase) const;
    const HttpTimeouts timeouts_;
    const Clock::Time deadline_;
    Clock::Time begin_{};
    TimeoutPhase phase_ = TimeoutPhase::none;
    std::size_t dripped_ = 0;
    Duration drip_time_{};
};
}
