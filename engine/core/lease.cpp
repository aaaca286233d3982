// Nothing begins before the first answered heartbeat of a lease; without an answer the lease ends after its length.
#include "engine/core/lease.hpp"
#include <utility>

namespace weft::core {
namespace {
constexpr auto least_difference = std::chrono::seconds(2), longest_comparison = std::chrono::seconds(1);
}
Lease::Lease(std::string owner, const Clock& clock, Duration length)
    : base_(std::move(owner)), clock_(clock), length_(length), holder_{1, base_}, begun_(clock.since_boot()) {}
Lease::Holder Lease::holder() const {
    std::lock_guard lock(mutex_);
    return holder_;
}
std::uint64_t Lease::number_of(const std::string& owner) const {
    std::lock_guard lock(mutex_);
    return owner == holder_.owner ? holder_.number : 0;
}
Duration Lease::until_over() const { return answered_.value_or(begun_) + length_ - clock_.since_boot(); }
bool Lease::may_begin(std::uint64_t number) {
    if (!is_limited()) return true;
    std::lock_guard lock(mutex_);
    if (number == holder_.number && answered_ && clock_.since_boot() - *answered_ < length_ * 2 / 3) return true;
    waited_ = true;
    return false;
}
bool Lease::somebody_waited() {
    std::lock_guard lock(mutex_);
    return std::exchange(waited_, false);
}
bool Lease::is_over(std::uint64_t number) const {
    if (!is_limited()) return false;
    std::lock_guard lock(mutex_);
    return number != holder_.number || until_over().count() <= 0;
}
Duration Lease::left() const {
    std::lock_guard lock(mutex_);
    return until_over();
}
void Lease::renew(std::uint64_t number, Duration sent) {
    std::lock_guard lock(mutex_);
    if (number == holder_.number && (!answered_ || *answered_ < sent)) answered_ = sent;
    refusal_.clear();
}
void Lease::compare_dates(std::int64_t store, Duration sent, Duration answered) {
    using std::chrono::microseconds;
    const auto took = answered - sent;
    if (store == 0 || (took > longest_comparison && boot_date_ != not_compared)) return;
    const auto machine = (clock_.wall() - std::chrono::floor<microseconds>(took / 2)).time_since_epoch();
    const auto date = std::chrono::abs(microseconds(store) - machine) < least_difference ? machine
                                                                                         : microseconds(store);
    boot_date_ = (date - std::chrono::floor<microseconds>(answered - took / 2)).count();
}
WallTime Lease::date() const {
    using std::chrono::microseconds;
    const auto boot_date = boot_date_.load(std::memory_order_relaxed);
    if (boot_date == not_compared) return clock_.wall();
    return WallTime(microseconds(boot_date) + std::chrono::floor<microseconds>(clock_.since_boot()));
}
void Lease::note_refusal(std::string why) {
    std::lock_guard lock(mutex_);
    refusal_ = std::move(why);
}
std::string Lease::refusal() const {
    std::lock_guard lock(mutex_);
    return refusal_;
}
void Lease::begin_anew(std::uint64_t lost) {
    std::lock_guard lock(mutex_);
    if (lost != holder_.number) return;
    holder_ = {lost + 1, base_ + "." + std::to_string(lost + 1)};
    answered_.reset();
    begun_ = clock_.since_boot();
}
}
