// A reader that wakes up after its client has disconnected passes its turn to the next reader.
#include "workflows/server/runs/log_cache.hpp"
#include <algorithm>

namespace weft::server {
LogCache::CachedText LogCache::find(const std::string& run, std::int64_t number) const {
    std::lock_guard lock(mutex_);
    const auto at = texts_.find({run, number});
    return at == texts_.end() ? nullptr : at->second;
}
void LogCache::put(const std::string& run, std::int64_t number, CachedText text) {
    std::lock_guard lock(mutex_);
    const auto size = text->size();
    if (!texts_.try_emplace({run, number}, std::move(text)).second) return;
    oldest_first_.emplace_back(run, number);
    for (bytes_ += size; bytes_ > most_bytes_ && !oldest_first_.empty(); oldest_first_.pop_front()) {
        const auto oldest = texts_.find(oldest_first_.front());
        bytes_ -= oldest->second->size();
        texts_.erase(oldest);
    }
}
std::size_t LogCache::bytes() const {
    std::lock_guard lock(mutex_);
    return bytes_;
}
void LogCache::give_back() {
    std::lock_guard lock(mutex_);
    ++free_;
    wake_next();
}
void LogCache::wake_next() const {
    if (free_ > 0 && !waiting_.empty()) waiting_.front().ring();
}
awaitable<LogCache::Turn> LogCache::turn() {
    const auto self = shared_from_this();
    const Signal signal;
    struct Leave {
        LogCache& cache;
        const Signal& signal;
        ~Leave() {
            std::lock_guard lock(cache.mutex_);
            std::erase(cache.waiting_, signal);
            cache.wake_next();
        }
    } leave{*this, signal};
    for (bool is_known = false;;) {
        {
            std::lock_guard lock(mutex_);
            if (free_ > 0) {
                --free_;
                break;
            }
            if (!std::exchange(is_known, true)) waiting_.push_back(signal);
        }
        auto rung = signal.wait();
        co_await std::move(rung);
    }
    co_return Turn(nullptr, [self](std::nullptr_t) { self->give_back(); });
}
}
