// An engine's lease on a shared store, measured by the engine. The store counts from the arrival of a heartbeat, the
// engine from its sending, so the engine always gives up first.
//
//     lease.renew(holder.number, sent);                // a heartbeat was answered
//     if (lease.may_begin(log.lease_number)) ...       // a step or recorded work may begin
//
// Nothing begins later than two thirds of a lease after the last answered heartbeat was sent; running work may finish
// in the last third. When the lease expires, the engine gives up its runs and takes the next *lease number*, with
// another owner name: an expired lease is never renewed. Times include suspensions of the machine (Clock::since_boot).
// Thread-safe.
//
// The lease also compares the store's clock with the machine's, because stored dates use the store's clock. Between two
// comparisons the date advances by the monotonic clock, so a jump of the machine's date changes no sleep. A difference
// below two seconds counts as none, because an answer takes time.
#pragma once
#include "engine/clock.hpp"
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

namespace weft::core {
class Lease {
public:
    struct Holder {
        std::uint64_t number = 1;
        std::string owner;  // the owner of its runs in the store
    };
    /// A length of 0: unlimited, because no other engine uses the store. The clock must outlive the lease.
    Lease(std::string owner, const Clock& clock, Duration length = {});
    /// Whether this is the owner's name of the present lease or of an earlier one.
    bool has_been(const std::string& owner) const { return owner == base_ || owner.starts_with(base_ + '.'); }
    bool is_limited() const { return length_.count() > 0; }
    Duration length() const { return length_; }
    Holder holder() const;
    std::uint64_t number_of(const std::string& owner) const;  // the present lease number; 0: not the present owner
    /// Whether a step or recorded work may begin now. If not, the next somebody_waited() returns true.
    bool may_begin(std::uint64_t number);
    bool somebody_waited();  // whether may_begin() has refused since the last call
    bool is_over(std::uint64_t number) const;
    Duration left() const;  // time until the lease expires
    void renew(std::uint64_t number, Duration sent);
    /// The store's clock showed this date, in microseconds since 1970, between these two times.
    void compare_dates(std::int64_t store, Duration sent, Duration answered);
    /// The store's date at this moment; before the first comparison the machine's.
    WallTime date() const;
    /// Takes the next lease number, because the lease is lost. Does nothing if another thread has done so already.
    void begin_anew(std::uint64_t lost);
    /// Keeps the error of the last heartbeat, for messages; empty after an answered heartbeat.
    void note_refusal(std::string why);
    std::string refusal() const;

private:
    Duration until_over() const;
    const std::string base_;
    const Clock& clock_;
    const Duration length_;
    mutable std::mutex mutex_;
    Holder holder_;
    std::optional<Duration> answered_;  // sending time of the last answered heartbeat
    Duration begun_;                    // begin of the lease
    bool waited_ = false;
    std::string refusal_;
    static constexpr std::int64_t not_compared = std::numeric_limits<std::int64_t>::min();
    std::atomic<std::int64_t> boot_date_{not_compared};  // the store's date at since_boot() 0, in microseconds
};
}
