// The latest events that readers of stored logs have read, so that many readers of one run read each event once. A
// reader whose client is slow needs no copy of an event: it looks the event up again later.
//
//     if (auto found = cache->find(run, 7)) use(*found);
//     auto waiting = cache->turn();                  // limits the answers of the store in memory
//     const auto turn = co_await std::move(waiting);
//     cache->put(run, 7, text);
//
// From any thread.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/signal.hpp"
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace weft::server {
class LogCache : public std::enable_shared_from_this<LogCache> {
public:
    using CachedText = std::shared_ptr<const std::string>;
    explicit LogCache(std::size_t most_bytes = 8 << 20, std::size_t at_once = 4)
        : most_bytes_(most_bytes), free_(at_once) {}
    /// Null if the cache does not have it.
    CachedText find(const std::string& run, std::int64_t number) const;
    /// Drops the oldest texts when the cache has too many bytes.
    void put(const std::string& run, std::int64_t number, CachedText);
    /// Permission to read the store, until its destruction.
    using Turn = std::shared_ptr<void>;
    awaitable<Turn> turn();
    std::size_t bytes() const;

private:
    using Key = std::pair<std::string, std::int64_t>;
    void give_back();
    void wake_next() const;  // the caller holds the lock
    const std::size_t most_bytes_;
    mutable std::mutex mutex_;
    std::map<Key, CachedText> texts_;
    std::deque<Key> oldest_first_;
    std::size_t bytes_ = 0, free_;
    std::deque<Signal> waiting_;
};
}
