// The queue is only the time of the next free place: no caller has to be woken, and giving up leaves nothing behind.
#include "steps/models/http/limiter.hpp"
#include "steps/models/secret.hpp"
#include <algorithm>
#include <functional>

namespace weft::models {
namespace {
Duration part(double chance, Duration whole) {
    return std::chrono::duration_cast<Duration>(chance * std::chrono::duration<double, std::nano>(whole));
}
}

Duration Account::delay_for_limit(Clock::Time now, bool again, double chance) {
    const std::lock_guard lock(mutex_);
    const bool queued = next_ > now && !again;  // earlier requests are still waiting
    if (until_ <= now && !queued) return Duration::zero();
    const auto begin = std::max(next_, until_);
    const bool full = begin - until_ >= settings_.spread;
    const auto go = full ? std::max(now, until_) + part(chance, settings_.spread)
                         : begin + part(chance, settings_.step);
    if (!full) next_ = begin + settings_.step;
    return std::max<Duration>(go - now, Duration(1));
}
void Account::block_for(Clock::Time now, Duration wait) {
    const std::lock_guard lock(mutex_);
    const auto until = now + std::min(wait, settings_.longest);
    if (until <= until_) return;
    until_ = until;
    next_ = std::max(next_, until);
    if (next_ - until_ > settings_.spread) next_ = until_;
}
Duration Account::delay_while_down(Clock::Time now) {
    const std::lock_guard lock(mutex_);
    if (failures_ < settings_.failures) return Duration::zero();
    if (down_until_ > now) return down_until_ - now;
    down_until_ = now + settings_.down_time;  // this call tests the server; other calls fail meanwhile
    return Duration::zero();
}
void Account::note_failure(Clock::Time now, std::string how) {
    const std::lock_guard lock(mutex_);
    how_ = std::move(how);
    if (failures_ < settings_.failures && now - first_failure_ > settings_.window) failures_ = 0;
    if (failures_ == 0) first_failure_ = now;
    if (failures_ < settings_.failures && ++failures_ == settings_.failures) down_until_ = now + settings_.down_time;
}
void Account::note_answer() {
    const std::lock_guard lock(mutex_);
    failures_ = 0;
}
std::string Account::last_failure() {
    const std::lock_guard lock(mutex_);
    return how_;
}

Features Account::features() {
    const std::lock_guard lock(mutex_);
    return features_;
}
void Account::learn(const Features& features) {
    const std::lock_guard lock(mutex_);
    features_.add(features);
}

std::shared_ptr<Account> Limiter::account(const std::string& origin, const Secret& key, const std::string& model) {
    auto name = origin + '\n' + std::to_string(std::hash<std::string>{}(key.reveal())) + '\n' + model;
    const std::lock_guard lock(mutex_);
    if (accounts_.size() >= most)
        std::erase_if(accounts_, [](const auto& entry) { return entry.second.use_count() == 1; });
    auto& account = accounts_[std::move(name)];
    if (!account) account = std::make_shared<Account>(settings_);
    return account;
}
const std::shared_ptr<Limiter>& Limiter::of_process() {
    static const auto one = std::make_shared<Limiter>();
    return one;
}
}
