// Notifications between stores of one database: runs of an owner have mail, or a run is ready. A transaction with
// NOTIFY locks the whole server while it commits; so a notification is never part of a transaction that stores data.
// One notification follows such a commit, for all of its changes.
//
//     hints.note(owner);                                                  // a run of this owner has mail
//     if (auto call = hints.due(now, ...)) lane.add(std::move(call));
//     hints.give(owner);                                                  // from another store: calls listeners
//
// Call note() and due() on the store's thread, and the other functions on any thread. A hint that cannot be sent is
// dropped.
#pragma once
#include "engine/store/postgres/call.hpp"
#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace weft::storage {
class PostgresHints {
public:
    using Time = std::chrono::steady_clock::time_point;
    void note(const std::string& owner);
    /// A call that sends all noted owners, if it is time; null: nothing to send, or the last call is under way.
    PostgresCallPtr due(Time now, bool is_last);
    Time due_at() const;  // Time::max() if there is nothing to send
    bool is_empty() const { return noted_.empty(); }

    std::shared_ptr<void> add(Store::Hint);
    bool is_wanted() const { return wanted_; }
    void give(std::string_view owner) const;

private:
    struct Listeners {
        std::mutex mutex;
        std::map<unsigned, Store::Hint> all;
        unsigned next = 0;
    };
    std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();  // may outlive the store
    std::atomic<bool> wanted_ = false;
    std::set<std::string> noted_;
    bool is_sending_ = false;
    Time next_{};
};
/// A call that makes its connection listen; behind a pooler, which forwards no notifications, it does nothing.
PostgresCallPtr postgres_listen();
}
