// Events that readers of stored logs have read last, so that many readers of one run read each of them once. A reader
// that does not read needs no copy of its own: it asks again when it goes on.
//
//     if (auto found = cache->find(run, 7)) use(*found);
//     auto waiting = cache->turn();                  // few read the store at once: an answer has to be held meanwhile
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
    using Text = std::shared_ptr<const std::string>;
    explicit LogCache(std::size_t most_bytes = 8 << 20, std::size_t at_once = 4)
        : most_bytes_(most_bytes), free_(at_once) {}
    /// Null if it is not there.
    Text find(const std::string& run, std::int64_t number) const;
    /// The oldest go as soon as there are too many bytes.
    void put(const std::string& run, std::int64_t number, Text);
    /// Held while the store is read.
    using Turn = std::shared_ptr<void>;
    awaitable<Turn> turn();
    std::size_t bytes() const;

private:
    using Key = std::pair<std::string, std::int64_t>;
    void give_back();
    void wake_next() const;  // with the lock
    const std::size_t most_bytes_;
    mutable std::mutex mutex_;
    std::map<Key, Text> texts_;
    std::deque<Key> oldest_first_;
    std::size_t bytes_ = 0, free_;
    std::deque<Signal> waiting_;
};
}
