// How long a store that several processes share takes an engine for alive, as the engine itself knows it. The store
// counts from the beat that it has got, the engine from when it sent that beat: so the engine gives up first.
//
//     lease.renew(term.number, sent);                  // a beat was answered
//     if (lease.may_begin(log.term)) ...               // what others would see of it is not done twice
//
// After two thirds of a lease nothing begins any more; what has begun has the last third to end. After all of it the
// runs are given up, and what comes then is another *term*, under another owner: a lease that is over is never renewed.
// Times are those of the machine, its sleep included (Clock::since_boot). May be used from any thread.
//
// It also knows how far the store's date is ahead of the machine's: dates of runs that several machines go on with are
// the store's. A difference of less than two seconds is none, as an answer takes some time.
#pragma once
#include "engine/clock.hpp"
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace weft::core {
class Lease {
public:
    struct Term {
        std::uint64_t number = 1;
        std::string owner;  // of its runs in the store
    };
    /// Of a length of nothing: then it never ends, as nobody else has the store. The clock outlives it.
    Lease(std::string owner, const Clock& clock, Duration length = {});
    bool is_limited() const { return length_.count() > 0; }
    Duration length() const { return length_; }
    Term term() const;
    std::uint64_t number_of(const std::string& owner) const;  // of the term that goes on; 0: another one's
    /// Whether what is done once only may begin now. If not, somebody waits for the next beat.
    bool may_begin(std::uint64_t term);
    bool somebody_waited();  // since it was asked last
    bool is_over(std::uint64_t term) const;
    Duration left() const;  // until it is over
    void renew(std::uint64_t term, Duration sent);
    /// The store had this date, in microseconds since 1970, at a moment between these two.
    void compare_dates(std::int64_t store, Duration sent, Duration answered);
    std::int64_t date_difference() const { return date_difference_.load(std::memory_order_relaxed); }
    /// All that was had in this term is lost. Another thread may have said so already.
    void begin_anew(std::uint64_t lost_term);

private:
    Duration until_over() const;
    const std::string base_;
    const Clock& clock_;
    const Duration length_;
    mutable std::mutex mutex_;
    Term term_;
    std::optional<Duration> answered_;  // when the last beat was sent that was answered
    Duration begun_;                    // when the term has begun
    bool waited_ = false;
    std::atomic<std::int64_t> date_difference_{0};  // in microseconds
};
}
