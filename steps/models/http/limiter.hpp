// The limits of model servers, shared by all calls of a process. After a status 429, all requests of the same server,
// key and model wait for the time that the server asks for, in all runs and loops, later requests included. Then they
// start one after another, not all at once.
//
//     auto account = limiter.account(url.origin(), key, model);
//     auto wait = account->delay_for_limit(now, false, chance);      // sleep, then delay_for_limit(now, true, chance)
//     account->block_for(now, 2s);                                   // after a 429
//
// An account also detects a server that is down: after `failures` transient failures in a row within `window`, calls
// fail immediately for `down_time`. One call in each such time tests whether the server is back.
//
// An account also knows the features of requests that the server refuses (steps/models/protocols/parts/features.hpp).
//
// One limiter serves all models of the process, unless a model gets its own. Thread-safe. Keys are not stored.
#pragma once
#include "engine/clock.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace weft::models {
class Secret;
struct LimiterSettings {
    Duration step = std::chrono::milliseconds(50);  // between requests that have waited
    Duration spread = std::chrono::seconds(10);     // all waiting requests start within this time
    Duration longest = std::chrono::minutes(10);    // maximum wait, even if a server asks for more
    int failures = 10;
    Duration window = std::chrono::seconds(30), down_time = std::chrono::seconds(5);
};

class Account {
public:
    explicit Account(LimiterSettings settings) : settings_(settings) {}
    /// Returns how long this request must wait; zero: it may start. `again`: it has already waited.
    Duration delay_for_limit(Clock::Time now, bool again, double chance);
    /// Blocks all requests for this time, because the server has asked for it.
    void block_for(Clock::Time now, Duration);

    /// Returns how long calls of a server that is down fail immediately; zero: this call may test it.
    Duration delay_while_down(Clock::Time now);
    void note_failure(Clock::Time now, std::string how);  // a transient failure, or an unknown outcome
    void note_answer();                                   // any answer: the server is up
    std::string last_failure();

    /// Forms of the features that the server has refused so far, and the usual ones of its model.
    Features features();
    void learn(const Features&);

private:
    const LimiterSettings settings_;
    std::mutex mutex_;
    Features features_;
    Clock::Time until_{}, next_{};  // no request starts before until_; the next one in the queue starts at next_
    int failures_ = 0;
    Clock::Time first_failure_{}, down_until_{};
    std::string how_;
};

class Limiter {
public:
    explicit Limiter(LimiterSettings settings = {}) : settings_(settings) {}
    std::shared_ptr<Account> account(const std::string& origin, const Secret& key, const std::string& model);

    static const std::shared_ptr<Limiter>& of_process();

private:
    static constexpr std::size_t most = 1000;  // above this number, unused accounts are dropped
    const LimiterSettings settings_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Account>> accounts_;
};
}
