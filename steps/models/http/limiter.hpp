// What all calls of a process know of a server's limits: one 429 holds back every request of the same server, key and
// model, in all runs and loops, also those that come later, until the time that the server asks for has passed. Then
// they go one after another, not all at once.
//
//     auto account = limiter.account(url.origin(), key, model);
//     auto wait = account->delay_for_limit(now, false, chance);      // sleep, then delay_for_limit(now, true, chance)
//     account->block_for(now, 2s);                                   // a 429 has come
//
// It also knows of a server that is down: after `failures` transient ones in a row, none older than `window`, calls
// fail at once for `down_time`, but for one in each such time that finds out whether the server is back.
//
// And it knows which features of requests the server refuses (steps/models/protocols/features.hpp).
//
// Shared by all models of the process unless a model is given another one. Thread-safe. Keys are not kept.
#pragma once
#include "engine/clock.hpp"
#include "steps/models/protocols/features.hpp"
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace weft::models {
class Secret;
struct LimiterSettings {
    Duration step = std::chrono::milliseconds(50);  // between requests that were held back
    Duration spread = std::chrono::seconds(10);     // all that were held back have gone by then
    Duration longest = std::chrono::minutes(10);    // a server that asks for more is asked again then
    int failures = 10;
    Duration window = std::chrono::seconds(30), down_time = std::chrono::seconds(5);
};

class Account {
public:
    explicit Account(LimiterSettings settings) : settings_(settings) {}
    /// How long this request has to wait; zero: it may go. `again`: it has waited its time.
    Duration delay_for_limit(Clock::Time now, bool again, double chance);
    /// No request goes for so long: the server has asked for that.
    void block_for(Clock::Time now, Duration);

    /// How long calls of a server that is down fail at once; zero: this call may try it.
    Duration delay_while_down(Clock::Time now);
    void note_failure(Clock::Time now, std::string how);  // of a kind that may pass
    void note_answer();                                   // of any kind: the server is there
    std::string last_failure();

    /// The parts of a request that the server has refused so far, and those that its model is known to take.
    Features features();
    void learn(const Features&);

private:
    const LimiterSettings settings_;
    std::mutex mutex_;
    Features features_;
    Clock::Time until_{}, next_{};  // nobody goes before; the next one that has to queue goes then
    int failures_ = 0;
    Clock::Time first_failure_{}, down_until_{};
    std::string how_;
};

class Limiter {
public:
    Limiter() : Limiter(LimiterSettings{}) {}
    explicit Limiter(LimiterSettings settings) : settings_(settings) {}
    std::shared_ptr<Account> account(const std::string& origin, const Secret& key, const std::string& model);

    static const std::shared_ptr<Limiter>& of_process();

private:
    static constexpr std::size_t most = 1000;  // above that, accounts that no model uses are dropped
    const LimiterSettings settings_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Account>> accounts_;
};
}
