// Most waits do not touch the alarm, because it is set to the shortest possible wait.
#include "engine/net/request_limits.hpp"
#include <algorithm>

namespace weft::net {
RequestLimits::RequestLimits(const Runtime& runtime, const HttpTimeouts& timeouts, Clock::Time deadline,
                             std::function<void()> end)
    : TimeLimit(runtime, std::move(end), std::min(timeouts.first_byte, timeouts.idle)),
      timeouts_(timeouts),
      deadline_(deadline) {}

Duration RequestLimits::limit_of(TimeoutPhase phase) const {
    return phase == TimeoutPhase::first_byte ? timeouts_.first_byte
           : phase == TimeoutPhase::idle     ? timeouts_.idle
                                             : timeouts_.total;
}
void RequestLimits::expect(TimeoutPhase phase) {
    begin_ = now();
    const auto limit = limit_of(phase);
    const bool last = limit >= deadline_ - begin_;
    phase_ = last ? TimeoutPhase::total : phase;
    expect_until(last ? deadline_ : begin_ + limit);
}
NetError RequestLimits::error(const std::string& origin) const {
    const char* what = phase_ == TimeoutPhase::first_byte ? " did not begin to answer within "
                       : phase_ == TimeoutPhase::idle     ? " fell silent in the middle of its answer for "
                                                          : " did not finish its answer within ";
    return {Failure::timed_out, origin + what + in_seconds(limit_of(phase_)), phase_};
}
bool RequestLimits::drips(std::size_t bytes) {
    dripped_ += bytes;
    if (dripped_ >= timeouts_.least_bytes) {
        dripped_ = 0;
        drip_time_ = {};
        return false;
    }
    drip_time_ += now() - begin_;
    return drip_time_ >= timeouts_.window;
}
NetError RequestLimits::drip_error(const std::string& origin) const {
    return {Failure::timed_out,
            origin + " sent fewer than " + std::to_string(timeouts_.least_bytes) + " bytes of its answer within " +
                in_seconds(timeouts_.window),
            TimeoutPhase::drip};
}
}
