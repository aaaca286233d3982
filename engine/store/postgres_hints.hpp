// What stores of one database tell each other beside the tables: that mail has come for runs of an owner, or that a run
// is ready. A notification takes a lock of the whole server while its transaction commits, so it never shares one with
// anything that is stored: it goes after the commit, once for all that the commit has brought.
//
//     hints.note(owner);                                                  // somebody was sent mail
//     if (auto call = hints.due(now, ...)) lane.add(std::move(call));
//     hints.give(owner);                                                  // heard from another store: to who listens
//
// note() and due() are of the store's thread, the rest is of any. A hint that cannot be sent is dropped.
#pragma once
#include "engine/store/postgres_call.hpp"
#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace weft::core {
class PostgresHints {
public:
    using Time = std::chrono::steady_clock::time_point;
    void note(const std::string& owner);
    /// What sends all that was noted, if it is time; null: nothing does, or the last one is still under way.
    PostgresCallPtr due(Time now, bool is_last);
    Time due_at() const;  // never, if nothing was noted
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
    std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();  // who was added may outlive the store
    std::atomic<bool> wanted_ = false;
    std::set<std::string> noted_;
    bool is_sending_ = false;
    Time next_{};
};
/// What makes its connection hear of hints. A pooler's connection is not of one client for long: it hears nothing.
PostgresCallPtr postgres_listen();
}
