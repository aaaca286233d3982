// The lease of an engine that shares its store with others, as the engine itself measures it. The store counts from
// when it receives a heartbeat, the engine from when it sent that heartbeat: so the engine always gives up first.
//
//     lease.renew(term.number, sent);                  // a heartbeat was answered
//     if (lease.may_begin(log.term)) ...               // a step, or another piece of work, may start
//
// Two thirds of a lease after the last answered heartbeat was sent nothing may begin; what is running may finish in the
// last third. When the lease is over, the engine gives its runs up and starts another *term*, under another owner: a
// lease that is over is never renewed. Times include those during which the machine was suspended (Clock::since_boot).
// May be used from any thread.
//
// It also keeps the difference between the store's date and the machine's, because dates in runs that several machines
// execute are the store's. A difference below two seconds counts as none: an answer takes some time.
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
    /// A length of 0: it never ends, as no other engine uses the store. The clock outlives it.
    Lease(std::string owner, const Clock& clock, Duration length = {});
    bool is_limited() const { return length_.count() > 0; }
    Duration length() const { return length_; }
    Term term() const;
    std::uint64_t number_of(const std::string& owner) const;  // of the present term; 0: it is not its owner
    /// Whether a step or recorded work may begin now. If not, somebody_waited() is true until it is asked.
    bool may_begin(std::uint64_t term);
    bool somebody_waited();  // since it was asked last
    bool is_over(std::uint64_t term) const;
    Duration left() const;  // until it is over
    void renew(std::uint64_t term, Duration sent);
    /// The store had this date, in microseconds since 1970, at a moment between these two.
    void compare_dates(std::int64_t store, Duration sent, Duration answered);
    std::int64_t date_difference() const { return date_difference_.load(std::memory_order_relaxed); }
    /// The lease of this term is lost: starts the next term. Does nothing if another thread has done it already.
    void begin_anew(std::uint64_t lost_term);
    /// Why the last heartbeat was refused, for people; empty after one that was answered.
    void note_refusal(std::string why);
    std::string refusal() const;

private:
    Duration until_over() const;
    const std::string base_;
    const Clock& clock_;
    const Duration length_;
    mutable std::mutex mutex_;
    Term term_;
    std::optional<Duration> answered_;  // when the last heartbeat was sent that was answered
    Duration begun_;                    // when the term has begun
    bool waited_ = false;
    std::string refusal_;
    std::atomic<std::int64_t> date_difference_{0};  // in microseconds
};
}
